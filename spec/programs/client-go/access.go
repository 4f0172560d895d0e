package main

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func accessSteps(all *clients) {
	user := "system:serviceaccount:" + all.namespace + ":robot"
	var token string
	step("token of a service account", func(ctx context.Context) error {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
		if _, err := all.typed.CoreV1().ServiceAccounts(all.namespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
			return err
		}
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr(int64(600))}}
		answer, err := all.typed.CoreV1().ServiceAccounts(all.namespace).CreateToken(ctx, "robot", request, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		token = answer.Status.Token
		return expect(token != "" && !answer.Status.ExpirationTimestamp.IsZero(), "%+v", answer.Spec)
	})
	step("token review", func(ctx context.Context) error {
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
		answer, err := all.typed.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(answer.Status.Authenticated && answer.Status.User.Username == user, "%+v", answer.Status)
	})
	step("token review of nonsense", func(ctx context.Context) error {
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: "nonsense"}}
		answer, err := all.typed.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(!answer.Status.Authenticated, "%+v", answer.Status)
	})
	asRobot := func() kubernetes.Interface {
		config := rest.AnonymousClientConfig(all.config)
		config.BearerToken = token
		return kubernetes.NewForConfigOrDie(config)
	}
	step("service account may do nothing", func(ctx context.Context) error {
		_, err := asRobot().CoreV1().ConfigMaps(all.namespace).List(ctx, metav1.ListOptions{})
		return refused(err, "Forbidden", `User "`+user+`" cannot list resource "configmaps" in API group "" in the namespace`)
	})
	step("role and binding take effect", func(ctx context.Context) error {
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader"}, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"configmaps"}}}}
		if _, err := all.typed.RbacV1().Roles(all.namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
			return err
		}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "reader"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: "robot", Namespace: all.namespace}},
		}
		if _, err := all.typed.RbacV1().RoleBindings(all.namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
		return eventually(ctx, "allowed", func() bool {
			_, err := asRobot().CoreV1().ConfigMaps(all.namespace).List(ctx, metav1.ListOptions{})
			return err == nil
		})
	})
	attributes := func(verb string) *authorizationv1.ResourceAttributes {
		return &authorizationv1.ResourceAttributes{Namespace: all.namespace, Verb: verb, Resource: "configmaps"}
	}
	step("subject access review", func(ctx context.Context) error {
		for verb, allowed := range map[string]bool{"list": true, "delete": false} {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes(verb)}}
			answer, err := all.typed.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if answer.Status.Allowed != allowed {
				return expect(false, "%s: %+v", verb, answer.Status)
			}
		}
		return nil
	})
	step("self subject access and rules reviews", func(ctx context.Context) error {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes("get")}}
		answer, err := asRobot().AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		rules := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: all.namespace}}
		listed, err := asRobot().AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, rules, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		found := false
		for _, rule := range listed.Status.ResourceRules {
			found = found || len(rule.Resources) == 1 && rule.Resources[0] == "configmaps"
		}
		return expect(answer.Status.Allowed && found, "%+v %+v", answer.Status, listed.Status)
	})
	step("self subject review", func(ctx context.Context) error {
		answer, err := asRobot().AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return expect(answer.Status.UserInfo.Username == user && len(answer.Status.UserInfo.Groups) == 3, "%+v", answer.Status)
	})
	step("impersonation", func(ctx context.Context) error {
		config := rest.CopyConfig(all.config)
		config.Impersonate = rest.ImpersonationConfig{UserName: "jane", Groups: []string{"shop"}}
		client := kubernetes.NewForConfigOrDie(config)
		_, err := client.CoreV1().Secrets(all.namespace).List(ctx, metav1.ListOptions{})
		return refused(err, "Forbidden", `User "jane" cannot list resource "secrets"`)
	})
	step("wrong token", func(ctx context.Context) error {
		config := rest.AnonymousClientConfig(all.config)
		config.BearerToken = "a-token-that-no-one-has"
		_, err := kubernetes.NewForConfigOrDie(config).CoreV1().Pods(all.namespace).List(ctx, metav1.ListOptions{})
		return refused(err, "Unauthorized")
	})
	step("certificate signing request", func(ctx context.Context) error {
		_, err := all.typed.CertificatesV1().CertificateSigningRequests().List(ctx, metav1.ListOptions{})
		return err
	})
}
