package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"signalbox/config"
	"signalbox/tui/internal/fake"
)

func TestPaletteGoesToScreensQueuesAndItems(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press(":").text("robots").press("enter")
	c.shows("8 Robots", "claims-desk-2")
	c.press(":").text("orders")
	c.shows("queue finance.orders")
	c.press("enter")
	c.shows("Queues ▸ finance.orders", "60 items")
	c.press(":").text("finance.orders/4").press("enter")
	c.shows("item 4", "INV-10251")
	c.press("esc")
	c.shows("60 items")
	c.press(":").text("zzzz")
	c.shows("Nothing is called so")
	c.press("enter", "esc")
	c.hides("Command")
}

func TestPaletteFilters(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", ":").text("/INV-1025").press("enter")
	c.shows("/ INV-1025", "10 items")
	c.press("1", ":").text("queue:finance.orders INV-1030").press("enter")
	c.shows("Queues ▸ finance.orders", "/ INV-1030")
}

func TestPaletteSaysWhyAVerbIsOut(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", ":").text("verify")
	c.shows("only failed, excepted and abandoned items; this one is pending")
	c.press("enter")
	c.shows("Command") // what can't be done is not done, and the list stays
	if len(c.engine.Reviews) != 0 {
		t.Fatal("verified")
	}
	c.press("esc", "5", "enter", ":").text("verify").press("enter")
	if len(c.engine.Reviews) != 1 {
		t.Fatal("not verified")
	}
	c = open(t, fake.Lifelike(), 120, 40, func(o *Options) { o.ReadOnly = true })
	c.press("2", ":").text("pause")
	c.shows("this console is read-only")
}

func TestPaletteCompletes(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press(":").text("theme d")
	c.press("down", "tab")
	c.shows(": theme deuter")
	c.press("enter")
	if got := c.app.env.Theme.Name; got != "deuter" {
		t.Fatalf("the theme is %s", got)
	}
	c.press(":")
	c.send(tea.PasteMsg{Content: "zone utc\n"})
	c.shows(": zone utc")
	c.press("enter")
	c.press(":").text("freeze").press("enter")
	c.shows("FROZEN")
}

func TestSettingsShowAtOnceAndAreSaved(t *testing.T) {
	var saved []config.Config
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) {
		o.File = "/home/ada/.config/signalbox/config.toml"
		o.Save = func(c config.Config) error { saved = append(saved, c); return nil }
	})
	c.press(",")
	c.shows("Settings", "Theme    ← dark", "Saved in /home/ada/.config/signalbox/config.toml")
	c.press("right")
	if got := c.app.env.Theme.Name; got != "light" {
		t.Fatalf("the theme is %s", got)
	}
	c.press("esc")
	if got := c.app.env.Theme.Name; got != "dark" || len(saved) != 0 {
		t.Fatalf("esc left the theme %s, saved %v", got, saved)
	}
	c.press(",", "down", "right", "down", "down", "right", "right", "down", "right")
	c.shows("Keys     < vim", "< ascii", "Mouse    < on")
	c.press("enter")
	c.shows("Settings saved")
	if len(saved) != 1 || saved[0].Keymap != "vim" || saved[0].Glyphs != "ascii" || !saved[0].Mouse || saved[0].Theme != "dark" {
		t.Fatalf("saved %+v", saved)
	}
	c.press("ctrl+d") // vim's page down
}

func TestPresetThatClashesWithOwnKeysIsRefused(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40, func(o *Options) {
		o.Config.Keys = map[string][]string{"retry": {"h"}}
	})
	c.press(":").text("keymap vim").press("enter")
	c.shows("both", "retry", "left")
	c.press("esc", "down")
	if c.app.env.Keys.Keys("left")[0] != "left" || len(c.app.env.Keys.Keys("left")) != 1 {
		t.Fatal("the preset came in all the same")
	}
}

func TestSortAndColumns(t *testing.T) {
	c := open(t, fake.Lifelike(), 120, 40)
	c.press("2", "down", "enter", "s", "down", "enter")
	c.shows("reference▴")
	c.hides("newest first")
	c.press("s", "enter")
	c.shows("reference▾")
	c.press("o", "down", "enter", "esc")
	c.hides("reference")
	c.press("2", "s", "G", "enter")
	c.shows("oldest▴")
}
