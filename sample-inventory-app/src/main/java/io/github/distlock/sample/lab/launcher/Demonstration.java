package io.github.distlock.sample.lab.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

import io.github.distlock.sample.lab.launcher.RunListener.Phase;

import org.jspecify.annotations.Nullable;

/**
 * Plays the plays of a run, one after the other, with the same orders.
 */
final class Demonstration {

	private static final String SKU = Shop.ARTICLE;

	private static final int ORDERS_TO_WARM_UP = 200;

	private static final int FAILURES_TO_REPORT = 3;

	private final Shop shop;

	private final Services services;

	private final List<FaultyNode> nodes;

	private final RunListener listener;

	/** Names of the strategies that the nodes' JVMs have played since they started. */
	private final Set<String> warm = new HashSet<>();

	/**
	 * Guards the two fields below: no fault by hand is requested after the end of a play.
	 */
	private final Lock lock = new ReentrantLock();

	private @Nullable PlannedPlay running;

	private @Nullable ByHand byHand;

	Demonstration(Shop shop, Services services, List<FaultyNode> nodes, RunListener listener) {
		this.shop = shop;
		this.services = services;
		this.nodes = List.copyOf(nodes);
		this.listener = listener;
	}

	/**
	 * Play a run; takes some seconds for each play.
	 * @param run the run
	 * @return the figures of the plays that were played to the end
	 * @throws IOException if a service does not give the result
	 * @throws InterruptedException if interrupted meanwhile
	 */
	List<Play> play(Run run) throws IOException, InterruptedException {
		List<Play> plays = new ArrayList<>();
		for (PlannedPlay planned : run.plays()) {
			if (run.isStopped()) {
				break;
			}
			this.listener.phase(planned, Phase.PREPARING, null, null);
			if (planned.number() == 0) {
				prepareNodes(run);
			}
			prepare(planned, run.request());
			play(planned, run, plays);
		}
		return plays;
	}

	private void prepareNodes(Run run) throws IOException, InterruptedException {
		PlannedPlay first = run.plays().get(0);
		this.services.revive();
		Set<Store> missing = new LinkedHashSet<>(
				run.request().strategies().stream().map(Strategy::store).filter((store) -> !know(store)).toList());
		learn(first, missing);
	}

	private boolean know(Store store) {
		return this.services.know(store);
	}

	private void learn(PlannedPlay play, Set<Store> stores) throws IOException, InterruptedException {
		if (!stores.isEmpty()) {
			this.services.learn(stores, (text) -> this.listener.phase(play, Phase.PREPARING, null, text));
			this.warm.clear();
		}
	}

	private void prepare(PlannedPlay play, RunRequest request) throws IOException, InterruptedException {
		Strategy strategy = play.strategy();
		if (!know(strategy.store())) {
			learn(play, Set.of(strategy.store()));
		}
		if (this.warm.add(strategy.name())) {
			warmUp(strategy, request);
		}
		this.shop.reset(SKU, request.stock());
	}

	/**
	 * Let cold JVMs load their classes, so that the first play of a strategy is as fast
	 * as the next.
	 */
	private void warmUp(Strategy strategy, RunRequest request) throws IOException, InterruptedException {
		String sku = "warm-up";
		int orders = Math.min(ORDERS_TO_WARM_UP, Math.max(1, request.orders() / 4));
		this.shop.reset(sku, orders);
		Round round = new Round(this.shop, sku, strategy.name(), () -> false);
		new Buyers(request.buyers()).buy(orders, round::order, (answered) -> {
		});
	}

	private void play(PlannedPlay play, Run run, List<Play> plays) throws IOException, InterruptedException {
		RunRequest request = run.request();
		this.listener.phase(play, Phase.RUNNING, null, null);
		begin(play);
		Round round = new Round(this.shop, SKU, play.strategy().name(), run::isStopped);
		long start = System.nanoTime();
		Duration time;
		Struck struck;
		try {
			new Buyers(request.buyers()).buy(request.orders(), round::order, progress(play, round, request.orders()));
		}
		finally {
			time = Duration.ofNanos(System.nanoTime() - start);
			// In a run that fails, too: the fault must not strike the next one.
			struck = recover(play);
		}
		RunListener.Counts counts = round.counts();
		StrategyRun figures = StrategyRun.of(play.strategy().name(), request.stock(), this.shop.level(SKU),
				counts.errors(), time);
		Play played = new Play(play.strategy(), struck.fault(), figures, counts.unserved(), struck.holder());
		if (!round.isCutShort()) {
			plays.add(played);
		}
		round.failures().stream().limit(FAILURES_TO_REPORT).forEach((message) -> this.listener.failed(play, message));
		this.listener.played(play, played, !round.isCutShort());
		this.listener.phase(play, Phase.ENDED, null, null);
	}

	/**
	 * Let a fault strike the next holder on a node, at the request of a user.
	 * @param name the node
	 * @param fault the fault
	 * @throws RunRefusedException if no play is running, or it has a fault already
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
			FaultyNode node = this.nodes.get(Services.number(name) - 1);
			this.byHand = new ByHand(node, fault);
			node.arm(fault);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void begin(PlannedPlay play) {
		this.lock.lock();
		try {
			this.running = play;
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

	private Struck recover(PlannedPlay play) throws IOException, InterruptedException {
		ByHand hand = end();
		if (play.fault() == Fault.NONE && hand == null) {
			return new Struck(Fault.NONE, true);
		}
		this.services.dead().forEach((name) -> this.listener.phase(play, Phase.RECOVERING, name, "restarting " + name));
		if (hand == null) {
			return new Struck(play.fault(), last().recover(play.fault()));
		}
		boolean met = hand.node().recover(hand.fault());
		return new Struck(met ? hand.fault() : Fault.NONE, true);
	}

	private FaultyNode last() {
		return this.nodes.get(this.nodes.size() - 1);
	}

	/**
	 * Report how far the play is, and let the fault strike when a quarter is done.
	 */
	private IntConsumer progress(PlannedPlay play, Round round, int orders) {
		int quarter = Math.max(1, orders / 4);
		return (answered) -> {
			this.listener.answered(play, round.counts());
			if (answered == quarter && !round.isCutShort()) {
				arm(play.fault());
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
	 * What went wrong in a play.
	 *
	 * @param fault the fault by which the play is judged
	 * @param holder whether it struck a holder
	 */
	private record Struck(Fault fault, boolean holder) {
	}

}
