package act

import (
	tea "charm.land/bubbletea/v2"

	"signalbox/engine"
	"signalbox/keymap"
	"signalbox/store"
	"signalbox/themes"
	"signalbox/tui/env"
	"signalbox/tui/screen"
	"signalbox/tui/text"
	"signalbox/tui/widget/dialog"
)

// Explained answers Explain.
type Explained struct {
	screen.Addr
	Item        store.ID
	Explanation engine.Explanation
	Err         error
	desk        Desk
}

// Explain asks why an item is not being worked now.
func (d Desk) Explain(to screen.Addr, id store.ID) screen.Effects {
	explainer, ok := d.engine.(Explainer)
	if !ok {
		return screen.Want(screen.Say{Toast: screen.Toast{
			Level: screen.Warning, Text: text.Clean("Can't explain: " + notThere + ". `signalbox item explain " + id.String() + "` may"),
		}})
	}
	return screen.Do(func() tea.Msg {
		x, err := explainer.Explain(d.ctx, id)
		return Explained{to, id, x, err, d}
	})
}

// Show puts the explanation in front.
func (x Explained) Show(e env.Env) screen.Effects {
	if x.Err != nil {
		return Fail("explain "+x.Item.String(), x.Err)
	}
	role, status := e.Standing(x.Explanation.Status, "")
	lines := []dialog.Line{{Role: role, Text: status}, {}}
	var helps []dialog.Help
	for _, r := range x.Explanation.Reasons {
		switch r.Code {
		case "review":
			r.Mend = e.Keys.Label(keymap.Retry) + " retries it, " + e.Keys.Label(keymap.EditRetry) + " with its data mended, " + e.Keys.Label(keymap.Verify) + " closes it"
		case "verified":
			r.Mend = "taking the judgement off again: " + e.Keys.Label(keymap.Verbs) + ", clear"
		case "paused":
			r.Mend = e.Keys.Label(keymap.Pause) + " resumes the queue"
			helps = append(helps, x.desk.helpResume(x.Addr, x.Item.Queue))
		}
		lines = append(lines, reasonLines(e, &r)...)
	}
	title := "Why " + text.Clean(x.Item.String()) + " stands where it does"
	return screen.Want(screen.Ask{Dialog: dialog.NewNote(e, title, lines, helps...)})
}

// reasonLines write one reason with its end and what helps.
func reasonLines(e env.Env, r *engine.Reason) []dialog.Line {
	lines := []dialog.Line{{Role: themes.Text, Text: text.Safe(e.Glyphs.Bullet) + " " + text.Clean(r.Text)}}
	if !r.Until.IsZero() {
		lines = append(lines, dialog.Line{Indent: 2, Role: themes.Muted, Text: "until " + e.When(r.Until) + ", in " + env.Span(e.Until(r.Until))})
	}
	if r.Mend != "" {
		lines = append(lines, dialog.Line{Indent: 2, Role: themes.Muted, Text: "what helps: " + text.Clean(r.Mend)})
	}
	return lines
}
