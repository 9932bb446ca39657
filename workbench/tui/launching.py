"""From a filled-in form to a run's own process, in a thread; the run goes on whatever becomes of the app."""

from __future__ import annotations

import subprocess
import threading
from dataclasses import dataclass, field

from workbench.records import Clock, SystemClock, progress_text
from workbench.tui.context import AppContext
from workbench.tui.run_form import RunForm


@dataclass
class ProgressBox:
    """The latest word of a job in a thread; the screen reads it when it draws. ``cancel`` stops the job."""

    clock: Clock = field(default_factory=SystemClock)
    text: str = ""
    cancelled: bool = False
    _label: str = ""
    _began_s: float = 0.0
    _began_done: float = 0.0

    def __call__(self, label: str, done: float, total: float, unit: str) -> None:
        """See ``Progress``."""
        if self.cancelled:
            raise KeyboardInterrupt
        now_s = self.clock.monotonic_s()
        if label != self._label:
            self._label, self._began_s, self._began_done = label, now_s, done
        rate = (done - self._began_done) / (now_s - self._began_s) if now_s > self._began_s else 0.0
        self.text = progress_text(label, done, total, unit, rate)

    def cancel(self) -> None:
        """Stop at the next word."""
        self.cancelled = True


def start_run(context: AppContext, form: RunForm, progress: ProgressBox) -> str:
    """Prepare what is missing and start the run's process; its id, or an empty text if it was cancelled.

    The same steps as ``workbench run --detach``. Raises BadInput, Unavailable, Refused.
    """
    from workbench import runs, sandbox

    progress.text = "looking at sandbox, agent and material"
    request = form.request(context.content.task)
    running = context.of_runs()
    backend = sandbox.choose_sandbox(request.sandbox or context.settings.sandbox)
    planned = runs.plan_run(request, running, backend.name)
    runs.sweep(context.data)
    runs.preflight(running, planned)
    try:
        own = runs.context_of(running, planned.plan)
        task = own.content.task(planned.plan.task)
        runs.ensure_ready(own, task, planned.plan.source, backend, progress)
        progress("starting", 0, 0, "runs")
    except KeyboardInterrupt:
        return ""
    _, process = runs.launch_run(running, planned)
    threading.Thread(target=_reap, args=(process,), daemon=True).start()
    return planned.plan.run_id


def _reap(process: subprocess.Popen[bytes]) -> None:
    process.wait()
