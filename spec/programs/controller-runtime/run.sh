#!/bin/sh
# Runs a suite with the cluster of KUBECONFIG, in the folder of its package, as `go test` does: run.sh PACKAGE
folder=$PWD
name=$(echo "$1" | tr / -)
cd "$folder/module/pkg/$1" || exit 1
exec "$folder/suites/$name.test" -test.timeout=600s -ginkgo.timeout=570s -ginkgo.no-color "-ginkgo.json-report=$folder/$name.report.json"
