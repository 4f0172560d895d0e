#!/bin/sh
# Runs each suite with the cluster of KUBECONFIG, in the folder of its package, as `go test` does.
folder=$PWD
while read -r package; do
  name=$(echo "$package" | tr / -)
  cd "$folder/module/pkg/$package" || exit 1
  "$folder/suites/$name.test" -test.timeout=600s -ginkgo.timeout=570s -ginkgo.no-color "-ginkgo.json-report=$folder/$name.report.json" </dev/null
done < packages.txt
exit 0
