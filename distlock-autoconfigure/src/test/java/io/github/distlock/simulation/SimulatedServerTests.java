package io.github.distlock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.AttemptResult.Busy;
import io.github.distlock.backend.AttemptResult.Granted;
import io.github.distlock.backend.AttemptResult.Queued;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.simulation.Fault.Kind;
import io.github.distlock.simulation.StoredKey.Word;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SimulatedServer}, {@link SimulatedNetwork} and {@link SimulatedStore},
 * without the engine: faults, and what random commands must not do. What each history
 * does and the properties judge, such as grants, queues and readers, is not repeated
 * here.
 */
class SimulatedServerTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final Duration TIMEOUT = Duration.ofMillis(300);

	private World world = world(true);

	private static World world(boolean counting) {
		return new World(new Plan(4, 3, 1, 1, 1, LEASE, 4, Duration.ofMillis(50), Duration.ZERO, Integer.MAX_VALUE,
				true, Duration.ofSeconds(5), TIMEOUT, 100_000, counting, 0, 0, false, List.of()), false);
	}

	@Test
	void anAttemptThatIsRepeatedAfterALostReplyAnswersTheSameGrant() {
		run(() -> {
			Client a = new Client("A");
			a.fault(Kind.LOSE_REPLIES, Duration.ZERO);
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> a.take(1));
			long first = stored().first;
			Grant grant = a.take(1);
			assertThat(grant.firstToken()).isEqualTo(first);
			assertThat(grant.validity().ttlNanos()).isLessThanOrEqualTo(LEASE.minus(TIMEOUT).toNanos());
			a.fault(Kind.LOSE_REQUESTS, Duration.ZERO);
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> answer(a.store.release(a.ticket(1), first, null)));
			assertThat(stored().owner).isEqualTo(a.ticket(1));
		});
	}

	@Test
	void aStrayCopyDoesNotChangeALaterGrant() {
		run(() -> {
			Client a = new Client("A");
			Client b = new Client("B");
			Grant grant = a.take(1);
			a.fault(Kind.LATE_REQUESTS, Duration.ofMillis(100));
			assertThat(answer(a.store.renew(List.of(new Renewal(a.ticket(1), grant.lastToken(), LEASE, false)))).get(0))
				.isInstanceOf(RenewalResult.Unknown.class);
			a.fault(Kind.REPEAT_REQUESTS, Duration.ofMillis(100));
			answer(a.store.release(a.ticket(1), grant.firstToken(), null));
			b.take(1);
			long expires = stored().expires;
			sleep(Duration.ofSeconds(1));
			assertThat(stored().owner).isEqualTo(b.ticket(1));
			assertThat(stored().expires).isEqualTo(expires);
		});
	}

	@Test
	void aFailOverLosesTheLastWrites() {
		run(() -> {
			Client a = new Client("A");
			a.take(1);
			sleep(Duration.ofMillis(50));
			answer(a.store.cancel(a.ticket(1)));
			this.world.network.server().loseWrites(Duration.ofMillis(20).toNanos());
			assertThat(stored().owner).isEqualTo(a.ticket(1));
			this.world.network.server().loseWrites(Duration.ofSeconds(1).toNanos());
			assertThat(stored().word).isEqualTo(Word.ABSENT);
		});
	}

	@Test
	void aDeadJvmIsPassedOverIfReceiversAreCounted() {
		run(() -> {
			Client c = queuedBehindADeadJvm();
			sleep(Duration.ofMillis(10));
			assertThat(c.granted).isNotNull();
		});
	}

	@Test
	void aDeadJvmLosesItsPlaceWhenItsGraceEndsIfReceiversAreNotCounted() {
		this.world = world(false);
		run(() -> {
			Client c = queuedBehindADeadJvm();
			sleep(Duration.ofMillis(10));
			assertThat(c.granted).isNull();
			sleep(LEASE);
			c.take(1);
		});
	}

	private Client queuedBehindADeadJvm() {
		Client a = new Client("A");
		Client b = new Client("B");
		Client c = new Client("C");
		Grant grant = a.take(1);
		answer(b.store.attempt(b.ticket(1), LEASE, AttemptOptions.queue(true)));
		answer(c.store.attempt(c.ticket(1), LEASE, AttemptOptions.queue(true)));
		b.jvm.crashed = true;
		this.world.network.crashed(b.jvm);
		sleep(Duration.ofMillis(1));
		answer(a.store.release(a.ticket(1), grant.firstToken(), null));
		return c;
	}

	@Test
	void theOwnerOfAMarkedGrantIsAskedAndMayRefuse() {
		run(() -> {
			Client a = new Client("A");
			Client b = new Client("B");
			AttemptResult answer = answer(a.store.attempt(a.ticket(1), LEASE, new AttemptOptions(true, true, false)));
			assertThat(((Granted) answer).keepable()).isTrue();
			answer = answer(b.store.attempt(b.ticket(1), LEASE, AttemptOptions.queue(false)));
			assertThat(((Busy) answer).kept()).isTrue();
			answer = answer(b.store.attempt(b.ticket(1), LEASE, new AttemptOptions(true, false, true)));
			assertThat(((Queued) answer).first()).isTrue();
			sleep(Duration.ofMillis(10));
			assertThat(a.events).contains("asked by " + b.ticket(1).token());
			a.store.refuse(b.ticket(1));
			sleep(Duration.ofMillis(10));
			assertThat(b.events).contains("refused");
			Grant grant = ((Granted) answer(a.store.attempt(a.ticket(1), LEASE, AttemptOptions.queue(true)))).grant();
			assertThat(answer(a.store.renew(List.of(new Renewal(a.ticket(1), grant.lastToken(), LEASE, false),
					new Renewal(a.ticket(1), grant.lastToken(), LEASE, true)))))
				.hasExactlyElementsOfTypes(RenewalResult.Gone.class, RenewalResult.Extended.class);
		});
	}

	@Test
	void afterAPartitionTheInboxIsSubscribedAgain() {
		run(() -> {
			Client a = new Client("A");
			a.events.clear();
			a.fault(Kind.PARTITION, Duration.ofSeconds(1));
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> a.take(1));
			assertThat(a.events).isEmpty();
			sleep(Duration.ofSeconds(1));
			assertThat(a.events).containsExactly("requests may be lost", "requests may be lost", "retry all");
			assertThat(((Granted) answer(a.store.attempt(a.ticket(1), LEASE, new AttemptOptions(true, true, false))))
				.keepable()).isTrue();
		});
	}

	@Test
	void aReleaseInOrderIsExecutedBeforeALaterAttemptOrFails() {
		run(() -> {
			Client a = new Client("A");
			Grant grant = a.take(1);
			a.fault(Kind.DELAY_PACKETS, Duration.ofMillis(100));
			AtomicReference<Object> answer = new AtomicReference<>();
			sendInOrder(a, grant, answer);
			a.take(2);
			sleep(Duration.ofMillis(1));
			assertThat(answer.get()).isEqualTo(new ReleaseResult(true, null));
			a.fault(Kind.LOSE_REQUESTS, Duration.ZERO);
			sendInOrder(a, grant, answer);
			sleep(Duration.ofSeconds(1));
			assertThat((Throwable) answer.get()).hasCauseInstanceOf(LockBackendException.class);
			sendInOrder(a, grant, answer);
			this.world.network.begin(new Fault(0, 0, Kind.RESTART_SERVER, 0, 1000, 1), a.jvm);
			sleep(Duration.ofMillis(10));
			assertThat((Throwable) answer.get()).hasMessageContaining("connection lost");
		});
	}

	private static void sendInOrder(Client client, Grant grant, AtomicReference<Object> answer) {
		CompletionStage<ReleaseResult> stage = client.store.release(client.ticket(1), grant.firstToken(), null);
		stage.whenComplete((result, failure) -> answer.set((failure != null) ? failure : result));
	}

	@Test
	void aServerThatRestartsEmptyStillGivesRisingTokens() {
		run(() -> {
			Client a = new Client("A");
			Grant grant = a.take(1);
			this.world.network.begin(new Fault(0, 0, Kind.EMPTY_SERVER, 0, 1_000_000, 1), a.jvm);
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> a.take(2));
			sleep(Duration.ofMillis(10));
			assertThat(a.take(2).firstToken()).isGreaterThan(grant.lastToken());
		});
	}

	@Test
	void noScriptChangesWhatAnotherTicketHoldsAndEachMayRunTwice() {
		run(() -> {
			List<Client> clients = List.of(new Client("A"), new Client("B"));
			Random random = new Random(11);
			long used = 0;
			for (int step = 0; step < 5_000; step++) {
				Client client = clients.get(random.nextInt(2));
				int number = random.nextInt(3);
				Ticket ticket = (number == 2) ? client.reader(2) : client.ticket(number);
				Ticket next = (random.nextInt(3) == 0) ? client.ticket(3 + number) : null;
				StoredKey before = stored();
				boolean owns = ticket.equals(before.owner);
				int verb = random.nextInt(6);
				// A ticket is cancelled only if its first token is all that was used.
				long token = owns ? before.first + ((verb == 0) ? 0 : random.nextInt(ServerScript.COUNT)) : used;
				Supplier<Object> command = command(verb, random, ticket, token, next);
				String text = before + ", " + command.get();
				StoredKey once = stored();
				if (once.owner != null && !once.owner.equals(before.owner)) {
					assertThat(once.first).as(text + ", " + once).isGreaterThan(owns ? token : used);
				}
				used = (once.owner != null) ? once.first : Math.max(used, once.last);
				if (before.owner != null && !owns) {
					assertThat(once.owner).as(text + ", " + once).isEqualTo(before.owner);
					assertThat(once.last).isEqualTo(before.last);
				}
				command.get();
				// The second attempt of a reader checks whether the ticket before it
				// lives.
				boolean checks = ticket.isReader() && once.place(ticket) >= 0;
				assertThat(checks || stored().isLike(once)).as(text + ", " + once + ", " + stored()).isTrue();
				sleep(Duration.ofMillis((random.nextInt(20) == 0) ? random.nextInt(6000) : 0));
			}
		});
	}

	private Supplier<Object> command(int verb, Random random, Ticket ticket, long token, @Nullable Ticket next) {
		SimulatedServer server = this.world.network.server();
		long lease = LEASE.toMillis();
		char how = "TSNts".charAt(random.nextInt(5));
		boolean keepable = random.nextBoolean() && !ticket.isReader();
		return switch (verb) {
			case 0 -> () -> server.cancel(ticket);
			case 1, 2 -> () -> server.release(ticket, token, ticket.isReader() ? null : next, lease, 'T');
			default -> () -> server.attempt(ticket, lease, how, keepable);
		};
	}

	/** Run a thread of the world, and fail as it does. */
	private void run(Runnable story) {
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		this.world.scheduler.start("story", null, () -> {
			try {
				story.run();
			}
			catch (Exception | AssertionError ex) {
				failure.set(ex);
			}
			this.world.scheduler.stop();
		});
		this.world.scheduler.run();
		assertThat(failure.get()).isNull();
		assertThat(this.world.violations).isEmpty();
	}

	private void sleep(Duration time) {
		this.world.scheduler.sleep(time.toNanos());
	}

	/** Wait for the answer of a store as the engine does. */
	private <T> T answer(CompletionStage<T> stage) {
		EngineEnvironment environment = new SimulatedEnvironment(this.world.scheduler,
				new SimulatedJvm(this.world.scheduler, "waiting", 1, 0));
		try {
			return environment.await(stage);
		}
		catch (CompletionException ex) {
			throw (LockBackendException) StoreCalls.unwrap(ex);
		}
	}

	private StoredKey stored() {
		return this.world.network.server().stored("k");
	}

	/** The store of a JVM, and what it was told. */
	private final class Client implements LockSignals {

		private final SimulatedJvm jvm;

		private final LockStore store;

		private final List<String> events = new ArrayList<>();

		private @Nullable Grant granted;

		Client(String name) {
			this.jvm = new SimulatedJvm(SimulatedServerTests.this.world.scheduler, name, 1, 0);
			World world = SimulatedServerTests.this.world;
			this.store = new SimulatedBackend(world, world.network, this.jvm)
				.open(new StoreContext(LockInstance.of(name), this, this.jvm.random));
			sleep(Duration.ofMillis(10));
		}

		private Ticket ticket(int number) {
			return new Ticket("k", LockMode.EXCLUSIVE, this.jvm.name, number, false);
		}

		private Ticket reader(int number) {
			return new Ticket("k", LockMode.READ, this.jvm.name, number, true);
		}

		private Grant take(int number) {
			return grant(ticket(number));
		}

		private Grant grant(Ticket ticket) {
			return ((Granted) answer(this.store.attempt(ticket, LEASE, AttemptOptions.queue(true)))).grant();
		}

		private void fault(Kind kind, Duration time) {
			SimulatedServerTests.this.world.network.begin(new Fault(0, 0, kind, 0, time.toNanos(), 1), this.jvm);
		}

		@Override
		public void granted(Ticket ticket, Grant grant) {
			this.granted = grant;
		}

		@Override
		public void retry(Ticket ticket) {
			this.events.add("retry");
		}

		@Override
		public void retryAll() {
			this.events.add("retry all");
		}

		@Override
		public void renewNow(Collection<Ticket> tickets) {
			this.events.add("renew now");
		}

		@Override
		public void asked(Ticket held, long grantToken, @Nullable Ticket requester) {
			this.events.add("asked by " + ((requester != null) ? requester.token() : "no ticket"));
		}

		@Override
		public void refused(Ticket requester) {
			this.events.add("refused");
		}

		@Override
		public void requestsMayBeLost() {
			this.events.add("requests may be lost");
		}

	}

}
