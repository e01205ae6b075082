package engine

import (
	"context"

	"signalbox/store"
)

// shownJobs is how many jobs a picture has.
const shownJobs = 100

// pictureJobs reads the jobs of a picture: the live ones, then the newest.
func (e *Engine) pictureJobs(ctx context.Context, r store.Reader, s *Snapshot) error {
	s.JobsRevision = s.Revision
	live, err := e.jobStates(ctx, r, store.JobQuery{Live: true}, shownJobs)
	if err != nil {
		return err
	}
	newest, err := e.jobStates(ctx, r, store.JobQuery{}, shownJobs)
	if err != nil {
		return err
	}
	for _, j := range newest {
		if j.EndedAt != 0 && len(live) < shownJobs {
			live = append(live, j)
		}
	}
	for n := range live {
		live[n].Metadata = "" // a picture is everybody's
	}
	s.Jobs = live
	return nil
}
