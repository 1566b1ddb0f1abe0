package browser

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds what a browser is asked to do, which takes milliseconds on a machine
// with nothing else to do.
const patience = time.Minute

// Browser is one tab of a browser of its own. Its methods return when it has done what
// they say; use them from one goroutine at a time.
type Browser struct {
	ctx    context.Context //nolint:containedctx // It is how chromedp names a tab.
	cancel func()

	mu         sync.Mutex
	complaints []string
}

// Start starts a browser, which ends with ctx at the latest. It needs the command
// chromium: make debian installs it.
func Start(ctx context.Context) (*Browser, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, fmt.Errorf("browser: %w: make debian installs it", err)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, // A container has no user namespaces for it.
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("lang", "en-GB"), chromedp.Flag("force-color-profile", "srgb"))
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	tab, closeTab := chromedp.NewContext(allocator)
	b := &Browser{ctx: tab, cancel: func() { closeTab(); end() }}
	if err := b.listen(); err != nil {
		b.Stop()
		return nil, fmt.Errorf("browser: start %s: %w", path, err)
	}
	return b, nil
}

// Stop ends the browser, and waits for that.
func (b *Browser) Stop() { b.cancel() }

// listen notes what a console shows in red.
func (b *Browser) listen() error {
	if err := chromedp.Listen(b.ctx, b.note); err != nil {
		return err
	}
	return chromedp.Do(b.ctx, chromedp.Navigate("about:blank"))
}

func (b *Browser) note(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complain("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			b.complain("console: %v", e.Args)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.complain("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.complain("dialog: %s", e.Message)
	}
}

func (b *Browser) complain(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, fmt.Sprintf(format, args...))
}

// Complaints returns what the console has shown in red since the last call:
// exceptions, errors, warnings, and what the policy of a page has refused.
func (b *Browser) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.complaints
	b.complaints = nil
	return all
}

// Open opens a page.
func (b *Browser) Open(url string) error { return b.do("open "+url, chromedp.Navigate(url)) }

// Look makes the window so wide and high, and prefers the theme, light or dark.
func (b *Browser) Look(width, height int64, theme string) error {
	if err := b.do("set the window", chromedp.EmulateViewport(width, height)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	})
	if err != nil {
		return fmt.Errorf("browser: set the theme: %w", err)
	}
	return nil
}

// Press presses a key, such as kb.Tab.
func (b *Browser) Press(key string) error { return b.do("press a key", chromedp.KeyEvent(key)) }

// Click clicks on the first element of a CSS selector.
func (b *Browser) Click(selector string) error {
	return b.do("click on "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Text returns all text that the page shows.
func (b *Browser) Text() (string, error) { return Eval[string](b, `document.body.innerText`) }

// Screenshot returns a PNG of the window.
func (b *Browser) Screenshot() ([]byte, error) {
	return run(b, "take a screenshot", chromedp.CaptureScreenshot())
}

// Eval returns the value of an expression of JavaScript.
func Eval[T any](b *Browser, expression string) (T, error) {
	return run(b, "evaluate "+expression, chromedp.Evaluate[T](expression))
}

func (b *Browser) do(what string, action chromedp.Action[chromedp.Void]) error {
	_, err := run(b, what, action)
	return err
}

// run does it, for as long as patience lasts.
func run[T any](b *Browser, what string, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		return result, fmt.Errorf("browser: %s: %w", what, err)
	}
	return result, nil
}
