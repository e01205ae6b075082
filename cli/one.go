package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// onOne is a command about the one thing that its argument names: it prints what
// fn gives, as one object.
func onOne[T any](a *app, use, short string, fn func(ctx context.Context, s Service, name string) (T, error), print func(T) error) *cobra.Command {
	_, argument, _ := strings.Cut(use, " ")
	return &cobra.Command{
		Use: use, Short: short, Args: takes(argument),
		RunE: func(c *cobra.Command, args []string) error {
			return a.doOne(c.Context(), func(ctx context.Context, s Service) error {
				it, err := fn(ctx, s, args[0])
				if err != nil {
					return err
				}
				return print(it)
			})
		},
	}
}
