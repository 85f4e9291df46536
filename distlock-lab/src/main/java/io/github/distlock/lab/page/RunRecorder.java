package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.lab.records.NodeTail;
import io.github.distlock.lab.runs.Figures;
import io.github.distlock.lab.runs.Run;
import io.github.distlock.lab.runs.RunListener;
import io.github.distlock.lab.runs.Trial;
import io.github.distlock.lab.runs.TrialResult;
import io.github.distlock.lab.servers.StockLevel;
import io.github.distlock.lab.servers.StockReader;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Writes the events of runs: the phases come from the run, the sales and faults from the
 * records of the nodes, the tallies from the database.
 */
@Component
class RunRecorder implements RunListener, DisposableBean {

	private static final Log logger = LogFactory.getLog(RunRecorder.class);

	private static final long RECORDS_MILLIS = 100;

	private static final long TALLY_MILLIS = 200;

	private final EventLog log;

	private final RunFiles files;

	private final StockReader stock;

	private final Map<String, NodeTail> tails = new TreeMap<>();

	private final ScheduledExecutorService ticker;

	private final Lock lock = new ReentrantLock();

	private RecordedSales sales = new RecordedSales(StockLevel.ARTICLE);

	private @Nullable Run run;

	private long missingBefore;

	private @Nullable Trial running;

	private final AtomicReference<Counts> counts = new AtomicReference<>(new Counts(0, 0, 0));

	RunRecorder(LabSettings settings, EventLog log, RunFiles files) {
		this.log = log;
		this.files = files;
		this.stock = settings.stock();
		settings.records().forEach((node, file) -> this.tails.put(node, new NodeTail(file)));
		this.ticker = Executors.newScheduledThreadPool(2, (task) -> {
			Thread thread = new Thread(task, "lab-recorder");
			thread.setDaemon(true);
			return thread;
		});
		settings.runs().listen(this);
		this.ticker.scheduleWithFixedDelay(() -> quietly(this::readRecords), RECORDS_MILLIS, RECORDS_MILLIS,
				TimeUnit.MILLISECONDS);
		this.ticker.scheduleWithFixedDelay(() -> quietly(this::readStock), TALLY_MILLIS, TALLY_MILLIS,
				TimeUnit.MILLISECONDS);
	}

	@Override
	public void started(Run run) {
		locked(() -> {
			this.run = run;
			quietly(this::shortenRecords);
			this.missingBefore = missing();
			this.sales = new RecordedSales(StockLevel.ARTICLE);
			this.log.begin(run.id());
			this.log.append(new LabEvent.RunStarted(run.id(), now(), run.settings().orders(), run.settings().stock(),
					run.settings().buyers(),
					run.trials()
						.stream()
						.map((trial) -> new LabEvent.PlannedTrial(trial.number(), trial.strategy().name(),
								trial.fault().option()))
						.toList()));
		});
	}

	@Override
	public void phase(Trial trial, Phase phase, @Nullable String node, @Nullable String text) {
		locked(() -> {
			if (phase == Phase.RUNNING) {
				// What the nodes wrote so far belongs to the warm-up.
				readRecords();
				this.counts.set(new Counts(0, 0, 0));
				this.sales.begin(trial.number(), trial.strategy().name());
				this.running = trial;
			}
			this.log
				.append(new LabEvent.Phase(trial.number(), now(), phase.name().toLowerCase(Locale.ROOT), node, text));
		});
	}

	@Override
	public void answered(Trial trial, Counts counts) {
		// Threads of buyers report in another order than they have counted.
		this.counts.accumulateAndGet(counts, (known,
				next) -> (next.answered() + next.unserved() < known.answered() + known.unserved()) ? known : next);
	}

	@Override
	public void trialEnded(Trial planned, TrialResult result, boolean complete) {
		locked(() -> {
			readRecords();
			this.running = null;
			this.sales.end();
			Figures figures = result.figures();
			Run current = this.run;
			if (current == null) {
				return;
			}
			long answered = this.counts.get().answered();
			this.log.append(new LabEvent.Tally(planned.number(), now(), figures.stockLeft(), figures.sold(),
					figures.oversold(), figures.lostUpdates(), figures.duplicates(), answered, figures.errors(),
					result.unserved()));
			if (complete) {
				this.log.append(verdict(current, planned, result, Overlaps.of(this.sales.all()).size()));
			}
		});
	}

	private static LabEvent.Verdict verdict(Run run, Trial planned, TrialResult result, long overlaps) {
		int orders = run.settings().orders();
		int stock = run.settings().stock();
		Figures figures = result.figures();
		return new LabEvent.Verdict(planned.number(), now(), result.fault().option(),
				result.verdict(orders, stock).name(), result.isAsExpected(orders, stock), result.why(orders, stock),
				new LabEvent.Figures(figures.sold(), figures.stockLeft(), figures.oversold(), figures.lostUpdates(),
						figures.duplicates(), figures.errors(), result.unserved(), figures.seconds(),
						figures.ordersPerSecond(orders - result.unserved()), overlaps));
	}

	@Override
	public void ended(Run run, End end, @Nullable String message) {
		locked(() -> {
			this.running = null;
			this.sales.end();
			this.log.append(new LabEvent.End(now(), end.name().toLowerCase(Locale.ROOT), withGaps(message)));
			quietly(() -> this.files.write(this.log.all()));
		});
	}

	private @Nullable String withGaps(@Nullable String message) {
		long missing = missing() - this.missingBefore;
		if (missing == 0) {
			return message;
		}
		String gaps = "%d records of the nodes are missing or cannot be read".formatted(missing);
		return (message != null) ? message + "; " + gaps : gaps;
	}

	private long missing() {
		return this.tails.values().stream().mapToLong(NodeTail::missing).sum();
	}

	/**
	 * Turn what the nodes have written into events.
	 */
	private void readRecords() {
		locked(() -> {
			this.tails.forEach((node, tail) -> {
				try {
					tail.read().forEach((next) -> this.sales.add(node, next));
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
			Trial trial = this.running;
			Collection<RecordedSale> changes = this.sales.changes();
			if (trial != null) {
				this.sales.faults().forEach(this.log::append);
				List<LabEvent.Queue> queues = this.sales.queues();
				if (!queues.isEmpty()) {
					this.log.append(new LabEvent.Queues(trial.number(), queues));
				}
				if (!changes.isEmpty()) {
					this.log.append(new LabEvent.Sales(trial.number(), changes));
				}
			}
		});
	}

	private void shortenRecords() {
		readRecords();
		this.tails.values().forEach((tail) -> {
			try {
				tail.shorten();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		});
	}

	private void readStock() {
		Trial trial = running();
		if (trial == null) {
			return;
		}
		// The order of these two: a sale is never counted before its answer.
		Counts answers = this.counts.get();
		StockLevel level = level();
		locked(() -> {
			Run current = this.run;
			if (trial == this.running && current != null && level != null) {
				int stock = current.settings().stock();
				this.log.append(new LabEvent.Tally(trial.number(), now(), level.quantity(), level.sold(),
						Math.max(0, level.sold() - stock),
						// A sale is recorded after the stock is written.
						Math.max(0, level.sold() - (stock - level.quantity())), level.sold() - level.serials(),
						answers.answered(), answers.errors(), answers.unserved()));
			}
		});
	}

	private @Nullable Trial running() {
		this.lock.lock();
		try {
			return this.running;
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable StockLevel level() {
		try {
			return this.stock.read();
		}
		catch (IOException ex) {
			// The next tally shows it.
			logger.debug("The stock cannot be read", ex);
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	private void locked(Runnable action) {
		this.lock.lock();
		try {
			action.run();
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void quietly(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.error("The lab cannot record the run", ex);
		}
	}

	private static long now() {
		return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
	}

	@Override
	public void destroy() {
		this.ticker.shutdownNow();
	}

}
