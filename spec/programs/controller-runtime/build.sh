#!/bin/sh
# Builds the integration suites of controller-runtime from a copy of its module: build.sh VERSION
set -eu
module="sigs.k8s.io/controller-runtime@$1"
go mod download "$module"
rm -rf module suites
cp -r "$(go env GOMODCACHE)/$module" module
chmod -R u+w module
mkdir suites
while read -r package; do
  name=$(echo "$package" | tr / -)
  (cd module && go test -c -o "../suites/$name.test" "./pkg/$package" </dev/null)
done < packages.txt
