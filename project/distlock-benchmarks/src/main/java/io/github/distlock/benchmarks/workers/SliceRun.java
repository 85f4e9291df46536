package io.github.distlock.benchmarks.workers;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import com.sun.management.OperatingSystemMXBean;
import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.contenders.Locks;

/**
 * One slice in one worker.
 *
 * @param worker its number
 * @param order what it is told
 * @param counter what the hot lock protects
 */
record SliceRun(String worker, SliceOrder order, SharedCounter counter) {

	/** For those that waited at the end of the slice and enter one after the other. */
	private static final long PATIENCE_SECONDS = 90;

	Tally run(Cast cast, ExecutorService threads) throws Exception {
		List<Locks> clients = cast.locks(this.order.contender(), this.order.clients());
		String prefix = Contenders.number(Contenders.named(this.order.contender())) + "-";
		int room = Passages.ROOM / (this.order.clients() * this.order.threads());
		boolean one = this.order.keys().isOne();
		boolean trying = this.order.keys() == Keys.TRIED && !this.worker.equals(Crew.FIRST_WORKER);
		List<Cycler> cyclers = new ArrayList<>();
		for (int client = 0; client < clients.size(); client++) {
			for (int thread = 0; thread < this.order.threads(); thread++) {
				String key = one ? prefix + "hot" : prefix + "%s-%02d-%02d".formatted(this.worker, client, thread);
				SharedCounter shared = one ? this.counter : null;
				cyclers.add(trying ? new Trier(this.order, clients.get(client), key, shared, room)
						: new Cycler(this.order, clients.get(client), key, shared, room));
			}
		}
		long cpu = cpuNanos();
		List<Future<Cycler>> running = cyclers.stream()
			.map((cycler) -> threads.submit((Callable<Cycler>) cycler))
			.toList();
		List<Tally> tallies = new ArrayList<>();
		for (Future<Cycler> thread : running) {
			tallies.add(tally(thread.get(PATIENCE_SECONDS, TimeUnit.SECONDS)));
		}
		Tally all = Tally.of(tallies);
		return new Tally(all.cycles(), all.perThread(), all.latencies(), cpuNanos() - cpu, all.passages());
	}

	private static Tally tally(Cycler cycler) {
		return new Tally(cycler.cycles, List.of(cycler.counted), cycler.latencies, 0,
				new Passages(cycler.passages, cycler.completeUntil()));
	}

	private static long cpuNanos() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)
				? system.getProcessCpuTime() : 0;
	}

}
