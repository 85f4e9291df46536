package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Renews the leases in a cluster. One script renews the locks of one slot, another one
 * its readers, and all scripts of a batch are sent at once. The wait for a master that
 * does not answer ends before the leases on the other masters are in danger.
 */
final class ClusterRenewals {

	private final RedisConnections connections;

	private final TimeSource time;

	private final Duration commandTimeout;

	private final SilentMasters silent = new SilentMasters();

	ClusterRenewals(RedisConnections connections, TimeSource time, Duration commandTimeout) {
		this.connections = connections;
		this.time = time;
		this.commandTimeout = commandTimeout;
	}

	/**
	 * Renew leases.
	 * @param renewals the leases
	 * @param scripts makes the script for some of them
	 * @return the answers, in the same order
	 */
	List<RenewalResult> renew(List<Renewal> renewals, Function<List<Renewal>, RenewalScript> scripts) {
		Map<Group, List<Integer>> groups = new LinkedHashMap<>();
		for (int i = 0; i < renewals.size(); i++) {
			Ticket ticket = renewals.get(i).ticket();
			int slot = ClusterSlotHashUtil.calculateSlot(this.connections.lockName(ticket.key()));
			groups.computeIfAbsent(new Group(slot, ticket.isReader()), (any) -> new ArrayList<>()).add(i);
		}
		List<SlotRenewal> slots = new ArrayList<>(groups.size());
		groups.forEach((group, indexes) -> slots
			.add(new SlotRenewal(group.slot, indexes, scripts.apply(indexes.stream().map(renewals::get).toList()))));
		RenewalResult[] results = new RenewalResult[renewals.size()];
		this.connections.onCluster((cluster) -> {
			if (cluster != null) {
				sendTogether(slots, cluster, results);
			}
			else {
				slots.forEach((slot) -> slot.put(this.connections.renew(slot.script), results));
			}
		});
		return List.of(results);
	}

	private void sendTogether(List<SlotRenewal> slots, ClusterScripts cluster, RenewalResult[] results) {
		Map<String, MasterBatch> batches = new LinkedHashMap<>();
		slots.forEach((slot) -> batches.computeIfAbsent(cluster.master(slot.slot), MasterBatch::new).slots.add(slot));
		TimeSource.Instant sent = this.time.now();
		try {
			batches.values().forEach((batch) -> batch.send(cluster));
		}
		catch (RuntimeException | Error ex) {
			// Batches that were sent will end: their masters may be asked again then.
			batches.values().forEach(MasterBatch::watchEnd);
			throw ex;
		}
		awaitAll(batches.values(), sent.nanos(), patience(slots));
		batches.values().forEach((batch) -> batch.collect(sent, results));
	}

	/**
	 * Leases are renewed after a third of their time; another third remains after this.
	 */
	private Duration patience(List<SlotRenewal> slots) {
		return slots.stream()
			.flatMap((slot) -> slot.script.renewals().stream())
			.map((renewal) -> renewal.lease().dividedBy(3))
			.reduce(this.commandTimeout, (one, two) -> (one.compareTo(two) < 0) ? one : two);
	}

	/** Wait for all masters, but not for long after one has answered. */
	private void awaitAll(Collection<MasterBatch> batches, long sentNanos, Duration patience) {
		CompletableFuture<?>[] awaited = batches.stream()
			.filter((batch) -> batch.awaited)
			.map((batch) -> batch.end)
			.toArray(CompletableFuture[]::new);
		if (awaited.length > 0) {
			await(CompletableFuture.anyOf(awaited), this.commandTimeout.toNanos());
			await(CompletableFuture.allOf(awaited), patience.toNanos() - (this.time.nanoTime() - sentNanos));
		}
	}

	private static void await(CompletableFuture<?> future, long nanos) {
		try {
			future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// Each slot has its own result.
		}
	}

	/** The leases that one script can renew. */
	private record Group(int slot, boolean readers) {
	}

	/** The leases of one slot, with their indexes in the whole batch. */
	private record SlotRenewal(int slot, List<Integer> indexes, RenewalScript script) {

		void put(List<RenewalResult> answers, RenewalResult[] results) {
			for (int i = 0; i < this.indexes.size(); i++) {
				results[this.indexes.get(i)] = answers.get(i);
			}
		}

	}

	/** The scripts for one master. */
	private final class MasterBatch {

		private final String master;

		private final List<SlotRenewal> slots = new ArrayList<>();

		/** One for each slot; empty if the master is not asked. */
		private final List<CompletableFuture<List<Long>>> answers = new ArrayList<>();

		private CompletableFuture<?> end = CompletableFuture.completedFuture("not asked");

		private boolean awaited;

		MasterBatch(String master) {
			this.master = master;
		}

		void send(ClusterScripts cluster) {
			SilentMasters silent = ClusterRenewals.this.silent;
			this.awaited = !silent.isSilent(this.master);
			if (silent.mayAsk(this.master)) {
				try {
					for (SlotRenewal slot : this.slots) {
						this.answers.add(cluster.send(slot.script));
					}
					this.end = CompletableFuture.allOf(this.answers.toArray(CompletableFuture[]::new));
				}
				catch (RuntimeException | Error ex) {
					this.answers.clear();
					silent.ended(this.master, false);
					throw ex;
				}
			}
		}

		void watchEnd() {
			if (!this.answers.isEmpty()) {
				SilentMasters silent = ClusterRenewals.this.silent;
				this.end.whenComplete((done, failure) -> silent.ended(this.master, ClusterScripts.isAnswer(failure)));
			}
		}

		void collect(TimeSource.Instant sent, RenewalResult[] results) {
			if (!this.answers.isEmpty() && !this.end.isDone()) {
				ClusterRenewals.this.silent.late(this.master);
			}
			watchEnd();
			for (int i = 0; i < this.slots.size(); i++) {
				SlotRenewal slot = this.slots.get(i);
				slot.put(this.answers.isEmpty() ? unanswered(slot.script)
						: result(slot.script, this.answers.get(i), sent), results);
			}
		}

		private List<RenewalResult> result(RenewalScript script, CompletableFuture<List<Long>> answer,
				TimeSource.Instant sent) {
			if (!answer.isDone()) {
				return unanswered(script);
			}
			try {
				return script.answered(answer.join(), sent);
			}
			catch (RuntimeException ex) {
				return script.unknown(ClusterRenewals.this.connections.server().failed("renewal", null, ex));
			}
		}

		private List<RenewalResult> unanswered(RenewalScript script) {
			return script.unknown(new LockBackendException(
					"The Redis Cluster master " + this.master + " does not answer renewals in time"));
		}

	}

	/**
	 * The masters of a cluster, as the driver knows them.
	 */
	static final class ClusterScripts {

		private final RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands;

		private ClusterScripts(RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands) {
			this.commands = commands;
		}

		@SuppressWarnings("unchecked")
		static @Nullable ClusterScripts on(RedisConnection connection) {
			return (connection.getNativeConnection() instanceof RedisAdvancedClusterAsyncCommands<?, ?> commands)
					? new ClusterScripts((RedisAdvancedClusterAsyncCommands<byte[], byte[]>) commands) : null;
		}

		/** The address of the master that has a slot, as far as the driver knows. */
		@SuppressWarnings("deprecation")
		String master(int slot) {
			// Spring Data offers no other access to the topology of the driver.
			RedisClusterNode master = this.commands.getStatefulConnection().getPartitions().getPartitionBySlot(slot);
			return (master != null) ? master.getUri().getHost() + ":" + master.getUri().getPort() : "unknown";
		}

		CompletableFuture<List<Long>> send(RenewalScript script) {
			return LettuceScripts.send(this.commands, script.script(), ScriptOutputType.MULTI, script.names(),
					script.args());
		}

		/** Whether a failure is the server's answer, and not its silence. */
		static boolean isAnswer(@Nullable Throwable failure) {
			return failure == null || failure instanceof RedisCommandExecutionException
					|| failure.getCause() instanceof RedisCommandExecutionException;
		}

	}

	/**
	 * The masters that did not answer a renewal in time. Each of them is sent one batch
	 * at a time, which no thread waits for, until it answers: so it does not delay the
	 * leases on the other masters, and the leases on it are renewed as soon as it answers
	 * again. Thread-safe.
	 */
	private static final class SilentMasters {

		private final Set<String> silent = ConcurrentHashMap.newKeySet();

		/** Those of them that have been asked and have not answered yet. */
		private final Set<String> asked = ConcurrentHashMap.newKeySet();

		boolean isSilent(String master) {
			return this.silent.contains(master);
		}

		/** Whether a renewal may be sent; {@link #ended} must follow. */
		boolean mayAsk(String master) {
			return !isSilent(master) || this.asked.add(master);
		}

		/** A renewal has taken too long, and still goes on. */
		void late(String master) {
			this.asked.add(master);
			this.silent.add(master);
		}

		/** A renewal has ended. */
		void ended(String master, boolean answered) {
			if (answered) {
				this.silent.remove(master);
			}
			this.asked.remove(master);
		}

	}

}
