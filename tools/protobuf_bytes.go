// Reads objects as lines of JSON, encodes each with Kubernetes' own protobuf serializer, and writes lines of base64.
// Build it in a Go module that requires k8s.io/client-go, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator of
// the served release.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"log"
	"os"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func main() {
	types := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{
		apidiscovery.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme,
	} {
		if err := add(types); err != nil {
			log.Fatal(err)
		}
	}
	meta := schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"}
	types.AddKnownTypes(meta, &metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadataList{})
	decoder := serializer.NewCodecFactory(types).UniversalDeserializer()
	encoder := protobuf.NewSerializerWithOptions(
		types, types, protobuf.SerializerOptions{StreamingCollectionsEncoding: true},
	)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		object, kind, err := decoder.Decode(lines.Bytes(), nil, nil)
		if err != nil {
			log.Fatal(err)
		}
		object.GetObjectKind().SetGroupVersionKind(*kind)
		written, err := runtime.Encode(encoder, object)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(base64.StdEncoding.EncodeToString(written))
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}
