package io.github.distlock.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The connections of one open store to the server: that of the commands and that of the
 * messages. Both break and come back together.
 */
final class SimulatedLink {

	final SimulatedJvm jvm;

	final String instance;

	/** The client side, on the driver's thread of its JVM. */
	final SimulatedInbox receiver;

	final Weather weather;

	/** Calls that have no answer yet. */
	final List<Command<?>> commands = new ArrayList<>();

	/** Whether the server knows the subscription. */
	boolean subscribed;

	/** Counts the connections. */
	int connection;

	boolean closed;

	/** Times at which the last request, reply and message arrive. */
	long lastRequest;

	long lastReply;

	long lastMessage;

	SimulatedLink(SimulatedJvm jvm, String instance, SimulatedInbox receiver, Weather weather) {
		this.jvm = jvm;
		this.instance = instance;
		this.receiver = receiver;
		this.weather = weather;
	}

	/** The faults between one JVM and the server. */
	static final class Weather {

		private final Map<Fault.Kind, Fault> faults = new EnumMap<>(Fault.Kind.class);

		private final Map<Fault.Kind, Integer> left = new EnumMap<>(Fault.Kind.class);

		/** Until when nothing passes. */
		long partitionedUntil;

		void begin(Fault fault) {
			this.faults.put(fault.kind(), fault);
			this.left.merge(fault.kind(), fault.count(), Integer::sum);
		}

		/** The faults that have not struck do not any more. */
		void clear() {
			this.left.clear();
		}

		/** Answers the time of the fault if it concerns the next packet, otherwise -1. */
		long strike(Fault.Kind kind) {
			Integer count = this.left.get(kind);
			if (count == null) {
				return -1;
			}
			this.left.compute(kind, (key, value) -> (count == 1) ? null : count - 1);
			Fault fault = this.faults.get(kind);
			return (fault != null) ? fault.nanos() : 0;
		}

		boolean strikes(Fault.Kind kind) {
			return strike(kind) >= 0;
		}

	}

	/** One command that is on its way. */
	static final class Command<T> {

		final String text;

		/** The thread that waits; {@code null} if none does. */
		@Nullable SimulatedThread waiter;

		final CompletableFuture<T> answer = new CompletableFuture<>();

		/** Whether the answer has arrived, or will not be waited for any longer. */
		boolean settled;

		@Nullable T value;

		@Nullable RuntimeException failure;

		Command(String text) {
			this.text = text;
		}

		/** On a thread of the JVM, after it is settled. */
		void complete() {
			if (this.failure != null) {
				this.answer.completeExceptionally(this.failure);
			}
			else {
				this.answer.complete(this.value);
			}
		}

	}

}
