// Package v1 has the kind Guestbook of the group webapp.listwatch.example.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion names the group and its version.
var GroupVersion = schema.GroupVersion{Group: "webapp.listwatch.example", Version: "v1"}

// AddToScheme registers the kind.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Guestbook{}, &GuestbookList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// GuestbookSpec is what is wanted.
type GuestbookSpec struct {
	Greeting string `json:"greeting,omitempty"`
}

// GuestbookStatus is what was found.
type GuestbookStatus struct {
	ConfigMap string `json:"configMap,omitempty"`
}

// Guestbook has a greeting, which a ConfigMap shows.
type Guestbook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GuestbookSpec   `json:"spec,omitempty"`
	Status GuestbookStatus `json:"status,omitempty"`
}

// DeepCopyObject makes a copy.
func (in *Guestbook) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// GuestbookList is a list of them.
type GuestbookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Guestbook `json:"items"`
}

// DeepCopyObject makes a copy.
func (in *GuestbookList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = make([]Guestbook, len(in.Items))
	for index := range in.Items {
		out.Items[index] = *in.Items[index].DeepCopyObject().(*Guestbook)
	}
	return &out
}
