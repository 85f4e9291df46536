package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.simulation.Fault.Kind;
import io.github.distlock.simulation.SimulatedLink.Command;
import io.github.distlock.simulation.SimulatedLink.Weather;
import org.jspecify.annotations.Nullable;

/**
 * What is between the JVMs and the server. The commands of one store are executed in the
 * order in which they are sent, and answered in that order, unless a fault says
 * otherwise.
 */
final class SimulatedNetwork {

	/** How many of the last writes a replica may lack. */
	private static final long MOST_LAG_NANOS = Duration.ofMillis(100).toNanos();

	/** How long the server may take to see that a JVM has crashed. */
	private static final long HALF_OPEN_NANOS = Duration.ofSeconds(2).toNanos();

	private final World world;

	private final Scheduler scheduler;

	private final Random random;

	final SimulatedServer server;

	private final Map<String, SimulatedLink> links = new LinkedHashMap<>();

	/** By the name of a JVM. */
	private final Map<String, Weather> weathers = new LinkedHashMap<>();

	/** When something was lost on its way: that may be long after its fault began. */
	final List<Long> losses = new ArrayList<>();

	private long awayUntil;

	/** Counts how often the server went away, with all connections to it. */
	private int restarts;

	SimulatedNetwork(World world) {
		this.world = world;
		this.scheduler = world.scheduler;
		this.random = world.networkRandom;
		this.server = new SimulatedServer(world);
	}

	void begin(Fault fault, SimulatedJvm jvm) {
		switch (fault.kind()) {
			case PARTITION -> partition(jvm, fault.nanos());
			case RESTART_SERVER -> restart(fault.nanos());
			case EMPTY_SERVER -> {
				this.server.clear();
				restart(fault.nanos());
			}
			case FAIL_OVER -> {
				this.server.loseWrites(this.random.nextLong(Math.min(MOST_LAG_NANOS, fault.nanos()) + 1));
				restart(fault.nanos());
			}
			case POISON_KEY -> this.server.poison(fault.poisonedKey(), now() + fault.nanos(), false);
			case THROW_ANSWERS -> this.server.poison(fault.poisonedKey(), now() + fault.nanos(), true);
			default -> weather(jvm).begin(fault);
		}
	}

	/** The faults that have not struck do not any more. */
	void forgetFaults() {
		this.weathers.values().forEach(Weather::clear);
		this.server.heal();
	}

	private Weather weather(SimulatedJvm jvm) {
		return this.weathers.computeIfAbsent(jvm.name, (name) -> new Weather());
	}

	private void partition(SimulatedJvm jvm, long nanos) {
		Weather weather = weather(jvm);
		weather.partitionedUntil = Math.max(weather.partitionedUntil, now() + nanos);
		boolean seen = this.random.nextBoolean();
		for (SimulatedLink link : linksOf(jvm)) {
			// The server may see that the connection is broken, or wait for it.
			link.subscribed &= !seen;
			this.scheduler.after(nanos, () -> disconnect(link));
		}
	}

	private void restart(long nanos) {
		this.awayUntil = Math.max(this.awayUntil, now() + nanos);
		this.restarts++;
		this.links.values().forEach(this::disconnect);
	}

	/** A JVM has crashed. The server may see that only later. */
	void crashed(SimulatedJvm jvm) {
		long halfOpen = (this.random.nextInt(4) == 0) ? this.random.nextLong(HALF_OPEN_NANOS) : 0;
		linksOf(jvm).forEach((link) -> {
			link.closed = true;
			this.scheduler.after(halfOpen, () -> forget(link));
		});
	}

	private List<SimulatedLink> linksOf(SimulatedJvm jvm) {
		return this.links.values().stream().filter((link) -> link.jvm == jvm).toList();
	}

	SimulatedLink open(SimulatedJvm jvm, String instance, SimulatedInbox receiver) {
		SimulatedLink link = new SimulatedLink(jvm, instance, receiver, weather(jvm));
		this.links.put(instance, link);
		connect(link);
		return link;
	}

	/** A store is closed: nothing is delivered any more. */
	void close(SimulatedLink link) {
		link.closed = true;
		failCommands(link, "closed");
		this.scheduler.after(latency(), () -> forget(link));
	}

	private void forget(SimulatedLink link) {
		link.subscribed = false;
		this.links.remove(link.instance);
	}

	private long now() {
		return this.scheduler.nanos();
	}

	/** The usual time of a packet, and sometimes much more. */
	private long latency() {
		long usual = (long) (this.world.plan.latencyNanos() * (0.5 + this.random.nextDouble()));
		// A request and its reply are within the time-out, however slow they are.
		return (this.random.nextInt(50) == 0) ? Math.max(usual, Math.min(usual * 10, timeout() / 4)) : usual;
	}

	private long timeout() {
		return this.world.plan.commandTimeout().toNanos();
	}

	private boolean isCut(SimulatedLink link) {
		return now() < this.awayUntil || now() < link.weather.partitionedUntil;
	}

	/** The client sees that the connection is broken, and makes another one. */
	private void disconnect(SimulatedLink link) {
		if (link.closed) {
			return;
		}
		link.connection++;
		// The bytes of the old connection may be overtaken now.
		link.lastRequest = 0;
		link.lastReply = 0;
		link.subscribed = false;
		failCommands(link, "connection lost");
		link.jvm.onDriver(link.receiver::interrupted);
		connect(link);
	}

	private void connect(SimulatedLink link) {
		int connection = link.connection;
		long until = Math.max(this.awayUntil, link.weather.partitionedUntil);
		this.scheduler.after(Math.max(0, until - now()) + latency(), () -> {
			if (link.closed || link.connection != connection) {
				return;
			}
			if (isCut(link)) {
				connect(link);
				return;
			}
			link.subscribed = true;
			link.lastMessage = now() + latency();
			this.scheduler.after(link.lastMessage - now(), () -> {
				if (!link.closed && link.connection == connection) {
					link.jvm.onDriver(link.receiver::subscribed);
				}
			});
		});
	}

	/** Send a command, and wait for its answer. */
	<T> T call(SimulatedLink link, String text, Function<SimulatedServer, T> script) {
		this.scheduler.mayPass();
		requireOpen(link);
		Command<T> command = new Command<>(text);
		SimulatedThread caller = this.scheduler.current();
		command.waiter = caller;
		transmit(link, command, script);
		if (!command.settled) {
			try {
				this.scheduler.block(timeout());
			}
			finally {
				command.waiter = null;
				link.commands.remove(command);
			}
		}
		if (!command.settled) {
			link.jvm.troubled();
			command.settled = true;
			command.failure = failure(text, "no answer within " + this.world.plan.commandTimeout());
		}
		this.world.trace(caller,
				text + " -> " + ((command.failure != null) ? command.failure.getMessage() : command.value));
		this.scheduler.mayPass();
		if (command.failure != null) {
			throw command.failure;
		}
		return Objects.requireNonNull(command.value);
	}

	/** Send a command. The stage completes on the driver's thread of the JVM. */
	<T> CompletionStage<T> send(SimulatedLink link, String text, Function<SimulatedServer, T> script) {
		this.scheduler.mayPass();
		requireOpen(link);
		return sendNow(link, text, script);
	}

	/** Send a command without passing the baton. */
	<T> CompletionStage<T> sendNow(SimulatedLink link, String text, Function<SimulatedServer, T> script) {
		Command<T> command = new Command<>(text);
		this.world.trace(link.instance, "sends " + text);
		transmit(link, command, script);
		this.scheduler.after(timeout(), () -> settle(link, command, null,
				failure(text, "no answer within " + this.world.plan.commandTimeout())));
		return command.answer;
	}

	private static void requireOpen(SimulatedLink link) {
		if (link.closed) {
			throw new LockBackendException("The simulated lock store is not running");
		}
	}

	private static LockBackendException failure(String text, String reason) {
		return new LockBackendException(text + ": " + reason);
	}

	private <T> void transmit(SimulatedLink link, Command<T> command, Function<SimulatedServer, T> script) {
		link.commands.add(command);
		Weather weather = link.weather;
		if (isCut(link)) {
			link.jvm.troubled();
			if (this.random.nextBoolean()) {
				this.scheduler.after(latency(),
						() -> settle(link, command, null, failure(command.text, "not connected")));
			}
			return;
		}
		if (weather.strikes(Kind.LOSE_REQUESTS)) {
			lost(link);
			this.world.trace("network", "loses the request " + command.text);
			return;
		}
		// A restart of the server ends its connections, and what is on its way in them.
		int restart = this.restarts;
		long late = weather.strike(Kind.LATE_REQUESTS);
		if (late >= 0) {
			link.jvm.troubled();
			// Before the second cancel of the engine, one time-out after the first.
			this.scheduler.after(timeout() + Math.min(late, timeout() * 9 / 10), () -> {
				if (this.restarts == restart) {
					execute(link, command, script, "late");
				}
			});
			return;
		}
		long arrival = Math.max(now() + latency() + delay(link), link.lastRequest + 1);
		link.lastRequest = arrival;
		this.scheduler.after(arrival - now(), () -> {
			if (this.restarts == restart) {
				execute(link, command, script, "");
			}
		});
		long again = weather.strike(Kind.REPEAT_REQUESTS);
		if (again >= 0) {
			this.scheduler.after(arrival - now() + 1 + Math.min(again, timeout()),
					() -> execute(link, command, script, "again"));
		}
	}

	/** A packet is late, but request and reply together are within the time-out. */
	private long delay(SimulatedLink link) {
		long delay = link.weather.strike(Kind.DELAY_PACKETS);
		if (delay < 0) {
			return 0;
		}
		link.jvm.troubled();
		return Math.min(delay, timeout() * 2 / 5);
	}

	private void lost(SimulatedLink link) {
		this.losses.add(now());
		link.jvm.troubled();
	}

	private <T> void execute(SimulatedLink link, Command<T> command, Function<SimulatedServer, T> script, String copy) {
		if (now() < this.awayUntil) {
			return;
		}
		T answer = null;
		LockBackendException refusal = null;
		try {
			answer = script.apply(this.server);
		}
		catch (LockBackendException ex) {
			refusal = ex;
		}
		if (!copy.isEmpty()) {
			link.jvm.troubled();
			this.world.trace("server", "executes " + copy + " " + command.text + " -> " + answer);
			return;
		}
		if (now() < link.weather.partitionedUntil || link.weather.strikes(Kind.LOSE_REPLIES)) {
			lost(link);
			this.world.trace("network", "loses the reply " + command.text + " -> " + answer);
			return;
		}
		long arrival = Math.max(now() + latency() + delay(link), link.lastReply + 1);
		link.lastReply = arrival;
		T value = answer;
		LockBackendException failure = refusal;
		this.scheduler.after(arrival - now(), () -> settle(link, command, value, failure));
	}

	private <T> void settle(SimulatedLink link, Command<T> command, @Nullable T value,
			@Nullable RuntimeException failure) {
		if (command.settled) {
			return;
		}
		if (failure != null && !(failure instanceof SimulatedServer.RefusedCommand)) {
			link.jvm.troubled();
		}
		command.settled = true;
		command.value = value;
		command.failure = failure;
		link.commands.remove(command);
		SimulatedThread waiter = command.waiter;
		if (waiter != null) {
			this.scheduler.wake(waiter);
		}
		else {
			link.jvm.onDriver(() -> {
				this.world.trace(link.instance,
						command.text + " -> " + ((failure != null) ? failure.getMessage() : value));
				command.complete();
			});
		}
	}

	private void failCommands(SimulatedLink link, String reason) {
		for (Command<?> command : new ArrayList<>(link.commands)) {
			settle(link, command, null, failure(command.text, reason));
		}
	}

	/**
	 * Send a message to the JVM of an instance. Answers how many receivers the server
	 * counts.
	 */
	int publish(String instance, ServerMessage message) {
		SimulatedLink link = this.links.get(instance);
		if (link == null || !link.subscribed) {
			this.world.trace("server", "message without a subscriber: " + message);
			return 0;
		}
		this.world.trace("server", "tells " + instance + ": " + message);
		Weather weather = link.weather;
		if (now() < weather.partitionedUntil || weather.strikes(Kind.LOSE_MESSAGES)) {
			this.losses.add(now());
			this.world.trace("network", "loses the message");
			this.world.history.count("lost messages");
			return 1;
		}
		long late = weather.strike(Kind.DELAY_MESSAGES);
		long arrival = now() + latency();
		if (late >= 0) {
			arrival += late;
		}
		else {
			arrival = Math.max(arrival, link.lastMessage + 1);
			link.lastMessage = arrival;
		}
		deliver(link, message, arrival - now());
		long again = weather.strike(Kind.REPEAT_MESSAGES);
		if (again >= 0) {
			deliver(link, message, arrival - now() + again);
		}
		return 1;
	}

	private void deliver(SimulatedLink link, ServerMessage message, long nanos) {
		int connection = link.connection;
		this.scheduler.after(nanos, () -> {
			if (!link.closed && link.connection == connection) {
				link.jvm.onDriver(() -> link.receiver.received(message));
			}
		});
	}

	int receivers(String instance) {
		SimulatedLink link = this.links.get(instance);
		return (link != null && link.subscribed) ? 1 : 0;
	}

}
