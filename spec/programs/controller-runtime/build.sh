#!/bin/sh
# Builds the integration suites of controller-runtime from a copy of its module: build.sh VERSION PACKAGE...
set -eu
module="sigs.k8s.io/controller-runtime@$1"
shift
go mod download "$module"
rm -rf module suites
cp -r "$(go env GOMODCACHE)/$module" module
chmod -R u+w module
mkdir suites
cd module
for package in "$@"; do
  go test -c -o "../suites/$(echo "$package" | tr / -).test" "./pkg/$package"
done
