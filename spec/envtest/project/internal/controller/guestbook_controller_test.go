package controller

import (
	"io"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	webappv1 "listwatch.example/envtest/guestbook/api/v1"
)

func guestbook(name, greeting string) *webappv1.Guestbook {
	return &webappv1.Guestbook{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       webappv1.GuestbookSpec{Greeting: greeting},
	}
}

var _ = Describe("Guestbook", func() {
	It("gets its ConfigMap, its owner reference and its status", func() {
		book := guestbook("hello", "welcome")
		Expect(k8sClient.Create(ctx, book)).To(Succeed())
		shown := &corev1.ConfigMap{}
		key := client.ObjectKey{Namespace: "default", Name: "hello-greeting"}
		Eventually(func() error { return k8sClient.Get(ctx, key, shown) }).WithTimeout(20 * time.Second).Should(Succeed())
		Expect(shown.Data).To(HaveKeyWithValue("greeting", "welcome"))
		Expect(shown.OwnerReferences).To(HaveLen(1))
		Eventually(func(g Gomega) {
			g.Expect(k8sClient.Get(ctx, client.ObjectKeyFromObject(book), book)).To(Succeed())
			g.Expect(book.Status.ConfigMap).To(Equal("hello-greeting"))
		}).WithTimeout(20 * time.Second).Should(Succeed())
	})

	It("is refused by its schema", func() {
		err := k8sClient.Create(ctx, guestbook("long", "a greeting of many characters"))
		Expect(apierrors.IsInvalid(err)).To(BeTrue(), "%v", err)
	})

	It("is refused by its webhook", func() {
		err := k8sClient.Create(ctx, guestbook("rude", "rude"))
		Expect(err).To(MatchError(ContainSubstring(
			`admission webhook "vguestbook.listwatch.example" denied the request: the greeting is rude`)))
	})

	It("can be read by a user with a client certificate once a role allows it", func() {
		user, err := testEnv.AddUser(envtest.User{Name: "jane", Groups: []string{"readers"}}, nil)
		Expect(err).NotTo(HaveOccurred())
		reader, err := client.New(user.Config(), client.Options{Scheme: scheme.Scheme})
		Expect(err).NotTo(HaveOccurred())
		list := &webappv1.GuestbookList{}
		err = reader.List(ctx, list, client.InNamespace("default"))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		meta := metav1.ObjectMeta{Name: "readers"}
		Expect(k8sClient.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"webapp.listwatch.example"}, Resources: []string{"guestbooks"}, Verbs: []string{"list"},
		}}})).To(Succeed())
		Expect(k8sClient.Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "readers"},
			Subjects:   []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "readers"}},
		})).To(Succeed())
		Eventually(func() error { return reader.List(ctx, list, client.InNamespace("default")) }).
			WithTimeout(20 * time.Second).Should(Succeed())
	})

	It("stays when nothing collects garbage, as without controllers of a cluster", func() {
		book := guestbook("owner", "bye")
		Expect(k8sClient.Create(ctx, book)).To(Succeed())
		key := client.ObjectKey{Namespace: "default", Name: "owner-greeting"}
		shown := &corev1.ConfigMap{}
		Eventually(func() error { return k8sClient.Get(ctx, key, shown) }).WithTimeout(20 * time.Second).Should(Succeed())
		Expect(k8sClient.Delete(ctx, book)).To(Succeed())
		Consistently(func() error { return k8sClient.Get(ctx, key, shown) }).WithTimeout(time.Second).Should(Succeed())
	})

	It("is shown by kubectl with the kubeconfig of a user", func() {
		user, err := testEnv.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
		Expect(err).NotTo(HaveOccurred())
		kubectl, err := user.Kubectl()
		Expect(err).NotTo(HaveOccurred())
		stdout, stderr, err := kubectl.Run("get", "crds", "-o", "name")
		problem, _ := io.ReadAll(stderr)
		Expect(err).NotTo(HaveOccurred(), string(problem))
		names, _ := io.ReadAll(stdout)
		Expect(string(names)).To(ContainSubstring("guestbooks.webapp.listwatch.example"))
	})
})
