package io.github.distlock.lab.runs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

import io.github.distlock.lab.runs.RunListener.Phase;
import io.github.distlock.lab.servers.StockLevel;
import io.github.distlock.lab.servers.Store;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the trials of a run, one after the other, with the same orders.
 */
final class TrialRunner {

	private static final String SKU = StockLevel.ARTICLE;

	private static final int ORDERS_TO_WARM_UP = 200;

	private static final int FAILURES_TO_REPORT = 3;

	private final Shop shop;

	private final Nodes nodes;

	private final List<FaultyNode> faultyNodes;

	private final RunListener listener;

	/** Names of the strategies that the nodes' JVMs have served since they started. */
	private final Set<String> warm = new HashSet<>();

	/**
	 * Guards the two fields below: no fault by hand is requested after the end of a
	 * trial.
	 */
	private final Lock lock = new ReentrantLock();

	private @Nullable Trial running;

	private @Nullable ByHand byHand;

	TrialRunner(Shop shop, Nodes nodes, RunListener listener) {
		this.shop = shop;
		this.nodes = nodes;
		this.faultyNodes = nodes.addresses().stream().map((address) -> new FaultyNode(address, nodes)).toList();
		this.listener = listener;
	}

	/**
	 * Carry out a run; takes some seconds for each trial.
	 * @param run the run
	 * @return the figures of the trials that were carried out to the end
	 * @throws IOException if a service does not give the result
	 * @throws InterruptedException if interrupted meanwhile
	 */
	List<TrialResult> run(Run run) throws IOException, InterruptedException {
		List<TrialResult> trials = new ArrayList<>();
		for (Trial planned : run.trials()) {
			if (run.isStopped()) {
				break;
			}
			this.listener.phase(planned, Phase.PREPARING, null, null);
			if (planned.number() == 0) {
				prepareNodes(run);
			}
			prepare(planned, run.settings());
			run(planned, run, trials);
		}
		return trials;
	}

	private void prepareNodes(Run run) throws IOException, InterruptedException {
		Trial first = run.trials().get(0);
		this.nodes.revive();
		Set<Store> missing = new LinkedHashSet<>(
				Store.together(run.settings().strategies().stream().map(Strategy::store).toList()));
		missing.removeIf(this::know);
		learn(first, missing);
	}

	private boolean know(Store store) {
		return this.nodes.know(store);
	}

	private void learn(Trial trial, Set<Store> stores) throws IOException, InterruptedException {
		if (!stores.isEmpty()) {
			this.nodes.learn(stores, (text) -> this.listener.phase(trial, Phase.PREPARING, null, text));
			this.warm.clear();
		}
	}

	private void prepare(Trial trial, RunSettings settings) throws IOException, InterruptedException {
		Strategy strategy = trial.strategy();
		if (!know(strategy.store())) {
			learn(trial, Set.of(strategy.store()));
		}
		if (this.warm.add(strategy.name())) {
			warmUp(strategy, settings);
		}
		this.shop.reset(SKU, settings.stock());
	}

	/**
	 * Let cold JVMs load their classes, so that the first trial of a strategy is as fast
	 * as the next.
	 */
	private void warmUp(Strategy strategy, RunSettings settings) throws IOException, InterruptedException {
		String sku = "warm-up";
		int orders = Math.min(ORDERS_TO_WARM_UP, Math.max(1, settings.orders() / 4));
		this.shop.reset(sku, orders);
		TrialOrders placed = new TrialOrders(this.shop, sku, strategy.name(), () -> false);
		new Buyers(settings.buyers()).buy(orders, placed::order, (answered) -> {
		});
	}

	private void run(Trial trial, Run run, List<TrialResult> trials) throws IOException, InterruptedException {
		RunSettings settings = run.settings();
		this.listener.phase(trial, Phase.RUNNING, null, null);
		begin(trial);
		TrialOrders placed = new TrialOrders(this.shop, SKU, trial.strategy().name(), run::isStopped);
		int quarter = Math.max(1, settings.orders() / 4);
		AtomicInteger begun = new AtomicInteger();
		CountDownLatch armed = new CountDownLatch((trial.fault() == Fault.NONE) ? 0 : 1);
		long start = System.nanoTime();
		Duration time;
		Struck struck;
		try {
			new Buyers(settings.buyers()).buy(settings.orders(), () -> {
				if (begun.incrementAndGet() > quarter) {
					// On a slow machine the stock would be sold before the fault strikes.
					armed.await();
				}
				placed.order();
			}, progress(trial, placed, quarter, armed));
		}
		finally {
			time = Duration.ofNanos(System.nanoTime() - start);
			// In a run that fails, too: the fault must not strike the next one.
			struck = recover(trial);
		}
		RunListener.Counts counts = placed.counts();
		Figures figures = Figures.of(trial.strategy().name(), settings.stock(), this.shop.level(SKU), counts.errors(),
				time);
		TrialResult result = new TrialResult(trial.strategy(), struck.fault(), figures, counts.unserved(),
				struck.holder());
		if (!placed.isCutShort()) {
			trials.add(result);
		}
		placed.failures().stream().limit(FAILURES_TO_REPORT).forEach((message) -> this.listener.failed(trial, message));
		this.listener.trialEnded(trial, result, !placed.isCutShort());
		this.listener.phase(trial, Phase.ENDED, null, null);
	}

	/**
	 * Let a fault strike the next holder on a node, at the request of a user.
	 * @param name the node
	 * @param fault the fault
	 * @throws RunRefusedException if no trial is running, or it has a fault already
	 * @throws IOException if the node does not answer
	 * @throws InterruptedException if interrupted meanwhile
	 */
	void strike(String name, Fault fault) throws IOException, InterruptedException {
		this.lock.lockInterruptibly();
		try {
			if (this.running == null) {
				throw new RunRefusedException("No orders are in progress: start a run first");
			}
			if (this.running.fault() != Fault.NONE || this.byHand != null) {
				throw new RunRefusedException("This run has a fault already, and one at a time can be explained");
			}
			FaultyNode node = this.faultyNodes.get(Nodes.number(name) - 1);
			this.byHand = new ByHand(node, fault);
			node.arm(fault);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void begin(Trial trial) {
		this.lock.lock();
		try {
			this.running = trial;
			this.byHand = null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private @Nullable ByHand end() {
		this.lock.lock();
		try {
			this.running = null;
			return this.byHand;
		}
		finally {
			this.lock.unlock();
		}
	}

	private Struck recover(Trial trial) throws IOException, InterruptedException {
		ByHand hand = end();
		if (trial.fault() == Fault.NONE && hand == null) {
			return new Struck(Fault.NONE, true);
		}
		this.nodes.dead().forEach((name) -> this.listener.phase(trial, Phase.RECOVERING, name, "restarting " + name));
		if (hand == null) {
			return new Struck(trial.fault(), last().recover(trial.fault()));
		}
		boolean met = hand.node().recover(hand.fault());
		return new Struck(met ? hand.fault() : Fault.NONE, true);
	}

	private FaultyNode last() {
		return this.faultyNodes.get(this.faultyNodes.size() - 1);
	}

	/**
	 * Report how far the trial is, and let the fault strike when a quarter is done.
	 */
	private IntConsumer progress(Trial trial, TrialOrders placed, int quarter, CountDownLatch armed) {
		return (answered) -> {
			try {
				this.listener.answered(trial, placed.counts());
				if (answered == quarter && !placed.isCutShort()) {
					arm(trial.fault());
				}
			}
			finally {
				if (answered == quarter) {
					armed.countDown();
				}
			}
		};
	}

	private void arm(Fault fault) {
		try {
			last().arm(fault);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A fault that a user requested.
	 *
	 * @param node the node that has it
	 * @param fault the fault
	 */
	private record ByHand(FaultyNode node, Fault fault) {
	}

	/**
	 * What went wrong in a trial.
	 *
	 * @param fault the fault by which the trial is judged
	 * @param holder whether it struck a holder
	 */
	private record Struck(Fault fault, boolean holder) {
	}

}
