// Package zone finds the name of the time zone that a machine keeps, by which others
// can be told of it.
package zone

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Link is what the system's zone is kept in, mostly a link to the file of its name.
const Link = "/etc/localtime"

// Unnamed is how Go calls a zone of which it knows no name.
const Unnamed = "Local"

// Named gives the local zone under its name, or as it was where link does not tell it.
func Named(local *time.Location, link string) *time.Location {
	name := local.String()
	if name == Unnamed {
		to, err := filepath.EvalSymlinks(link)
		if err != nil || to == link {
			return local
		}
		name = to
	}
	_, after, found := strings.Cut(filepath.ToSlash(name), "zoneinfo/")
	if !found {
		return local
	}
	after = strings.TrimPrefix(strings.TrimPrefix(after, "posix/"), "right/")
	named, err := time.LoadLocation(after)
	if err != nil || !alike(named, local) {
		return local
	}
	return named
}

// alike says that two zones tell the same time now and in half a year.
func alike(a, b *time.Location) bool {
	for _, at := range []time.Time{time.Now(), time.Now().AddDate(0, 6, 0)} {
		_, first := at.In(a).Zone()
		if _, second := at.In(b).Zone(); first != second {
			return false
		}
	}
	return true
}

// System gives the zone of this process.
func System() *time.Location {
	if _, set := os.LookupEnv("TZ"); set && time.Local.String() == Unnamed {
		return time.Local // it is none of those that have names
	}
	return Named(time.Local, Link)
}
