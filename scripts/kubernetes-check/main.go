// Holds the manifests of deploy/ to what an API server does with an object before it stores it: strict decoding, defaults,
// validation. By hand, in this folder; the first run compiles a part of Kubernetes (minutes):
//
//	go run . ../../deploy/*.yaml
//
// What an API server decides by its admission plug-ins is not asked.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

func main() {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
	decoder := codecs.UniversalDecoder(core.SchemeGroupVersion)
	objects, faults := 0, 0
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		documents := yaml.NewYAMLReader(bufio.NewReader(file))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			objects++
			for _, fault := range faultsOf(decoder, document) {
				faults++
				fmt.Printf("%s: %s\n", path, fault)
			}
		}
	}
	fmt.Printf("%d objects, %d faults\n", objects, faults)
	if objects == 0 || faults > 0 {
		os.Exit(1)
	}
}

func faultsOf(decoder runtime.Decoder, document []byte) []string {
	object, kind, err := decoder.Decode(document, nil, nil)
	if err != nil {
		return []string{err.Error()}
	}
	var found field.ErrorList
	switch one := object.(type) {
	case *core.Pod:
		found = validation.ValidatePodCreate(one, validation.PodValidationOptions{})
	case *core.Service:
		found = validation.ValidateServiceCreate(one)
	case *core.ConfigMap:
		found = validation.ValidateConfigMap(one)
	case *core.Namespace:
		found = validation.ValidateNamespace(one)
	case *core.ServiceAccount:
		found = validation.ValidateServiceAccount(one)
	default:
		return []string{fmt.Sprintf("%s is not among the kinds that are checked", kind.Kind)}
	}
	faults := make([]string, 0, len(found))
	for _, fault := range found {
		faults = append(faults, fault.Error())
	}
	return faults
}
