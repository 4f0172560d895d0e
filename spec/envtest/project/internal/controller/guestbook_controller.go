// Package controller writes the ConfigMap of each Guestbook, and refuses greetings that are not kind.
package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	webappv1 "listwatch.example/envtest/guestbook/api/v1"
)

// GuestbookReconciler reconciles a Guestbook.
type GuestbookReconciler struct {
	client.Client
}

// Reconcile writes the ConfigMap and names it in the status.
func (r *GuestbookReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	book := &webappv1.Guestbook{}
	if err := r.Get(ctx, request.NamespacedName, book); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	shown := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: book.Name + "-greeting", Namespace: book.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, shown, func() error {
		shown.Data = map[string]string{"greeting": book.Spec.Greeting}
		return controllerutil.SetControllerReference(book, shown, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	book.Status.ConfigMap = shown.Name
	return ctrl.Result{}, r.Status().Update(ctx, book)
}

// SetupWithManager registers the controller.
func (r *GuestbookReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&webappv1.Guestbook{}).Owns(&corev1.ConfigMap{}).Complete(r)
}

// Validator refuses the greeting "rude".
type Validator struct {
	Decoder admission.Decoder
}

// Handle answers the API server.
func (v *Validator) Handle(_ context.Context, request admission.Request) admission.Response {
	book := &webappv1.Guestbook{}
	if err := v.Decoder.Decode(request, book); err != nil {
		return admission.Errored(400, err)
	}
	if book.Spec.Greeting == "rude" {
		return admission.Denied("the greeting is rude")
	}
	return admission.Allowed("")
}
