package cli

import (
	"github.com/spf13/cobra"
)

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "signalbox",
		Short: "An operations console for work queues, with its own durable engine",
		Long: "Signalbox holds work queues in one file, hands their items to robots under leases, runs consumers in a pool of slots, " +
			"and shows all of it live.\n\nWithout a command it opens the console on the store.",
		Example: "signalbox demo\nsignalbox queue add invoices --family transactions\nsignalbox item import --queue invoices orders.csv",
		RunE:    a.console,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
	}
	f := root.PersistentFlags()
	f.StringVar(&a.store, "store", "", "the store: bolt:PATH or memory: (default $SIGNALBOX_STORE, or bolt:signalbox/signalbox.db in the data folder)")
	f.StringVar(&a.connect, "connect", "", "a running engine: unix:PATH (default $SIGNALBOX_CONNECT)")
	f.StringVar(&a.config, "config", "", "the console's settings (default signalbox/config.toml in the folder of settings)")
	f.BoolVar(&a.plain, "plain", false, "the console as lines: changes are told, commands are typed; for screen readers and pipes")
	f.BoolVar(&a.readOnly, "read-only", false, "change nothing; opens the store without its engine")
	f.BoolVar(&a.noColor, "no-color", false, "no colours")
	f.StringVar(&a.zone, "tz", "", "the time zone of tables, and of times written without one, as in Europe/Berlin (default local)")
	f.StringVarP(&a.output, "format", "o", "", "how to print: table, json, jsonl or csv")
	root.AddCommand(
		a.queueCommands(), a.itemCommands(), a.jobCommands(), a.notifyCommands(), a.slotCommands(),
		a.runCommand(), a.robotCommand(), a.claimCommand(), a.startCommand(), a.renewCommand(), a.progressCommand(),
		a.completeCommand(), a.failCommand(), a.postponeCommand(), a.settleCommand(), a.exportCommand(),
		a.serveCommand(), a.demoCommand(), a.snapshotCommand(),
		a.keyCommands(), a.themeCommands(),
		a.checkCommand(), a.backupCommand(), a.restoreCommand(), a.compactCommand(),
	)
	help := helpCommand(root)
	root.AddCommand(help)
	root.SetHelpCommand(help)
	return root
}

// helpCommand is cobra's, but for words that name no command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND…]", Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, _ := root.Find(args)
			if len(rest) > 0 && c.HasSubCommands() {
				return unknownCommand(c, rest[0])
			}
			return c.Help()
		},
	}
}

// addCompletion adds cobra's own command, to be one of the tree like the
// others. It keeps the output that root has now.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.RunE, c.Args = helpOrRefuse, nil
		}
	}
}
