package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"signalbox/store"
)

func (a *app) notifyCommands() *cobra.Command {
	return group("notify", "Addresses that are told when jobs end and items are abandoned, at risk or overdue", nil, a.notifyAdd(), a.notifyList(), a.notifyRemove())
}

func (a *app) notifyAdd() *cobra.Command {
	var w store.Webhook
	var secret string
	c := &cobra.Command{
		Use: "add NAME URL", Short: "Add an address, or replace the one of this name", Args: takes("NAME", "URL"),
		Long:    "Add an address to which events are posted as JSON, or replace the one of this name. With a secret what is sent is signed: Signalbox-Signature is v1= and the HMAC-SHA256, in hex, of Signalbox-Timestamp, a point and the body.",
		Example: "signalbox notify add ops https://example.org/hook --on job,abandoned --secret @hook.key",
		RunE: func(c *cobra.Command, args []string) error {
			w.Name, w.URL = args[0], args[1]
			if secret != "" {
				b, err := a.content("secret", secret)
				if err != nil {
					return err
				}
				w.Secret = strings.TrimSpace(string(b))
				if w.Secret == "" {
					return usage("--secret", "it is empty", "leave it out, or give one")
				}
			}
			return a.doOne(c.Context(), func(ctx context.Context, s Service) error {
				added, err := s.AddWebhook(ctx, w)
				if err != nil {
					return err
				}
				return a.printOne(added)
			})
		},
	}
	c.Flags().StringSliceVar(&w.Events, "on", nil, "the events: job (one has ended), abandoned, at-risk, overdue (default all)")
	c.Flags().StringVar(&secret, "secret", "", "with which what is sent is signed: a text, @FILE, or - for stdin")
	return c
}

func (a *app) notifyList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the addresses, without their secrets", Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.do(c.Context(), func(ctx context.Context, s Service) error {
				list, err := s.Webhooks(ctx)
				if err != nil {
					return err
				}
				type w = store.Webhook
				return printAll(a, columns[w]{table: []column[w]{
					{"name", func(w w) string { return w.Name }, false},
					{"url", func(w w) string { return w.URL }, false},
					{"events", func(w w) string { return strings.Join(w.Events, ",") }, false},
					{"by", func(w w) string { return w.CreatedBy }, false},
				}}, asTable, list)
			})
		},
	}
}

func (a *app) notifyRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove an address", Args: takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.do(c.Context(), func(ctx context.Context, s Service) error { return s.RemoveWebhook(ctx, args[0]) })
		},
	}
}
