package io.github.distlock.docs.recipes;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.examples.ExampleTypes.Outbox;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.testing.RedisTestServer;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.test.util.ReflectionTestUtils;

import static io.github.distlock.docs.recipes.RecipeNode.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the recipes for jobs, and for work at the start and at the end, on two nodes.
 */
class JobRecipeTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	/** What both nodes did. */
	private final List<String> done = new CopyOnWriteArrayList<>();

	private RecipeNode start(Class<?>... beans) {
		return RecipeNode.start(redis, this.done, List.of("distlock.key-prefix=" + System.identityHashCode(this) + ":"),
				beans);
	}

	@Test
	void eachTenantIsDoneOnceByTheNodesTogether() {
		try (RecipeNode one = start(code("TenantReports"), code("ReportJob"));
				RecipeNode two = start(code("TenantReports"), code("ReportJob"));
				RecipeNode three = start();
				HeldLock lock = three.lock("report-bob")) {
			one.call("run");
			two.call("run");
		}
		assertThat(this.done).containsExactlyInAnyOrder("report of ann", "report of eve");
	}

	@Test
	@SuppressWarnings("unchecked")
	void withThePrefixAJobWithoutATenantInItsKeyRunsOnceForEachTenant() {
		var tenants = (ThreadLocal<String>) Objects
			.requireNonNull(ReflectionTestUtils.getField(code("TenantPrefix"), "TENANT"));
		try (RecipeNode one = start(code("TenantPrefix"), Runner.class);
				RecipeNode two = start(code("TenantPrefix"), Runner.class)) {
			assertThat(this.done).containsExactly("published");
			for (String tenant : List.of("ann", "bob")) {
				tenants.set(tenant);
				one.bean(Runner.class).run(one.bean(ApplicationArguments.class));
				two.bean(Runner.class).run(two.bean(ApplicationArguments.class));
			}
		}
		finally {
			tenants.remove();
		}
		assertThat(this.done).containsExactly("published", "published", "published");
	}

	@Test
	void oneNodeAtATimeSendsTheMessagesOfTheOutbox() {
		try (RecipeNode one = start(); RecipeNode two = start(Messages.class, code("OutboxJob"))) {
			try (HeldLock lock = one.lock("outbox")) {
				two.call("send");
				assertThat(this.done).isEmpty();
			}
			two.call("send");
			two.call("send");
		}
		assertThat(this.done).containsExactly("a", "b");
	}

	@Test
	void oneNodeDoesTheWorkAtTheStartAndEachItsWorkAtTheEnd() {
		try (RecipeNode one = start(code("FirstAndLastWork")); RecipeNode two = start(code("FirstAndLastWork"))) {
			assertThat(this.done).containsExactly("published");
		}
		assertThat(this.done).containsExactly("published", "report of shop", "report of shop");
	}

	@Test
	void theRunOfAnApplicationRunnerIsLocked() {
		try (RecipeNode one = start(Runner.class); RecipeNode two = start(Runner.class)) {
			assertThat(this.done).containsExactly("published");
		}
	}

	@Test
	void aCallInPreDestroyIsRefused() {
		RecipeNode node = start(Locked.class, TooLate.class);
		TooLate late = node.bean(TooLate.class);
		node.close();
		assertThat(late.refused).hasSize(1);
		assertThat(this.done).isEmpty();
	}

	record Messages(List<String> unsent) implements Outbox {

		Messages() {
			this(new CopyOnWriteArrayList<>(List.of("a", "b")));
		}

		@Override
		public void markAsSent(String message) {
			this.unsent.remove(message);
		}

	}

	static class Runner implements ApplicationRunner {

		private final PriceService prices;

		Runner(PriceService prices) {
			this.prices = prices;
		}

		@Override
		@DistributedLock(key = "'run'", waitTime = "0", onFailure = OnFailure.SKIP, minHold = "5m")
		public void run(ApplicationArguments arguments) {
			this.prices.publish();
		}

	}

	static class Locked {

		@DistributedLock("'last'")
		public void work() {
		}

	}

	static class TooLate {

		private final List<Exception> refused = new CopyOnWriteArrayList<>();

		private final Locked locked;

		TooLate(Locked locked) {
			this.locked = locked;
		}

		@PreDestroy
		void stop() {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.locked::work)
				.satisfies(this.refused::add);
		}

	}

}
