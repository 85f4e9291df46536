package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.RunResult;
import io.github.distlock.docs.examples.Example;
import io.github.distlock.docs.examples.ExampleTypes.Report;
import io.github.distlock.docs.examples.ExampleTypes.ReportService;
import io.github.distlock.docs.examples.ExampleTypes.SearchIndex;
import reactor.core.publisher.Mono;

/**
 * The recipes that are calls of a registry.
 */
class RegistryRecipes extends Example {

	RegistryRecipes(LockRegistry locks, ReportService reports, SearchIndex index) {
		this.locks = locks;
		this.index = index;
		this.reports = reports;
	}

	public String createReport(String user) throws Exception {
		LockRequest request = LockRequest.of("report-" + user).waitTime(Duration.ZERO);
		RunResult<Report> run = this.locks.tryRun(request, () -> this.reports.create(user));
		if (run instanceof RunResult.NotRun<Report> skipped) {
			return "Not now: " + skipped.exception().reason();
		}
		return "Created";
	}

	public int rebuild(List<String> tenants) {
		AtomicBoolean stop = new AtomicBoolean();
		int rebuilt = 0;
		try (HeldLock lock = this.locks.acquire(LockRequest.of("rebuild"))) {
			lock.onAtRisk((remaining) -> stop.set(true));
			while (rebuilt < tenants.size() && !stop.get()) {
				this.index.rebuild(tenants.get(rebuilt++));
			}
		}
		return rebuilt;
	}

	public Mono<Report> reportOf(String user) {
		return Mono.usingWhen(Mono.fromFuture(() -> this.locks.acquireAsync(LockRequest.of("report-" + user))),
				(lock) -> Mono.fromCallable(() -> this.reports.create(user)),
				(lock) -> Mono.fromFuture(lock.closeAsync()));
	}

}
