package tui

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"signalbox/tui/internal/fake"
)

// profiles are the kinds of terminal that styles are kept for: without colours,
// with the person's sixteen, with all.
func profiles() map[string]colorprofile.Profile {
	return map[string]colorprofile.Profile{"mono": colorprofile.ASCII, "ansi16": colorprofile.ANSI, "truecolor": colorprofile.TrueColor}
}

// The styles of every picture at every size, a file a picture and a kind of
// terminal. Words and shapes stand in the pictures themselves, and are the same
// with every kind.
func TestStyles(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(views())) {
		for profile, colors := range profiles() {
			t.Run(name+"-"+profile, func(t *testing.T) {
				var s styles
				var b strings.Builder
				for _, size := range sizes() {
					c := open(t, fake.Lifelike(), size[0], size[1])
					c.press(views()[name]...)
					plain := c.picture()
					c.send(tea.ColorProfileMsg{Profile: colors})
					if got := ansi.Strip(c.picture()); got != plain {
						t.Errorf("%dx%d has other words with styles:\n%s\nwithout:\n%s", size[0], size[1], got, plain)
					}
					fmt.Fprintf(&b, "\n%dx%d\n%s", size[0], size[1], s.runs(c.picture()))
				}
				for _, style := range s.seen {
					if profile != "truecolor" && strings.Contains(style, "#") || profile == "mono" && regexp.MustCompile(`\d`).MatchString(style) {
						t.Errorf("%s in %s", style, profile)
					}
				}
				golden(t, "styles/"+name+"-"+profile, strings.TrimRight(s.legend()+b.String(), "\n"))
			})
		}
	}
}

// styles gives the styles of pictures a letter each, in the order in which they
// come.
type styles struct{ seen []string }

func (s *styles) letter(style string) string {
	if style == "" {
		return "."
	}
	at := slices.Index(s.seen, style)
	if at < 0 {
		at = len(s.seen)
		s.seen = append(s.seen, style)
	}
	return string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[at])
}

func (s *styles) legend() string {
	var b strings.Builder
	for _, style := range s.seen {
		fmt.Fprintf(&b, "%s  %s\n", s.letter(style), style)
	}
	return b.String()
}

// runs writes a picture's lines as columns in a style: ".3 a9" is three columns
// in none and nine in a. Lines alike are written once.
func (s *styles) runs(picture string) string {
	lines := strings.Split(picture, "\n")
	var b strings.Builder
	for from := 0; from < len(lines); {
		runs := s.line(lines[from])
		to := from + 1
		for to < len(lines) && s.line(lines[to]) == runs {
			to++
		}
		rows := strconv.Itoa(from + 1)
		if to > from+1 {
			rows += "-" + strconv.Itoa(to)
		}
		if runs != "" {
			fmt.Fprintf(&b, "%-6s%s\n", rows, runs)
		}
		from = to
	}
	return b.String()
}

func (s *styles) line(line string) string {
	type run struct {
		style string
		width int
	}
	var runs []run
	style := ""
	add := func(words string) {
		w := ansi.StringWidth(words)
		switch n := len(runs); {
		case w == 0:
		case n > 0 && runs[n-1].style == style:
			runs[n-1].width += w
		default:
			runs = append(runs, run{style, w})
		}
	}
	at := 0
	for _, found := range sgr.FindAllStringIndex(line, -1) {
		add(line[at:found[0]])
		style = worded(style, line[found[0]+2:found[1]-1])
		at = found[1]
	}
	add(line[at:])
	var words []string
	for i, r := range runs {
		if r.style != "" || i < len(runs)-1 {
			words = append(words, s.letter(r.style)+strconv.Itoa(r.width))
		}
	}
	return strings.Join(words, " ")
}

// worded adds the parameters of a sequence to a style in words: attributes,
// colours as a number of the sixteen or #rrggbb, and the same after "on".
func worded(style, parameters string) string {
	if parameters == "" {
		return ""
	}
	words := strings.Fields(style)
	p := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	for i := 0; i < len(p); i++ {
		n, _ := strconv.Atoi(p[i])
		switch {
		case n == 0:
			words = nil
		case n < 10:
			words = append(words, []string{"bold", "faint", "italic", "underline", "blink", "blink", "reverse", "concealed", "struck"}[n-1])
		case n >= 30 && n < 38 || n >= 90 && n < 98:
			words = append(words, strconv.Itoa(n%10+n/90*8))
		case n >= 40 && n < 48 || n >= 100 && n < 108:
			words = append(words, "on", strconv.Itoa(n%10+n/100*8))
		case (n == 38 || n == 48) && i+4 < len(p) && p[i+1] == "2":
			if n == 48 {
				words = append(words, "on")
			}
			var rgb [3]int
			for j := range rgb {
				rgb[j], _ = strconv.Atoi(p[i+2+j])
			}
			words = append(words, fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]))
			i += 4
		default:
			words = append(words, "?"+p[i])
		}
	}
	return strings.Join(words, " ")
}
