package task

import "log/slog"

// Logger is where operators log what Java's do, under the task's name.
func (c *core) Logger() *slog.Logger { return c.log }
