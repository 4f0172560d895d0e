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
  # Vet reads all dependencies, which takes longer than the build.
  go test -c -vet=off -ldflags '-s -w' -o "../suites/$(echo "$package" | tr / -).test" "./pkg/$package"
done
