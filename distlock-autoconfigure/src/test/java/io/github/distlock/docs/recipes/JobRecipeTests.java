package io.github.distlock.docs.recipes;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.OnFailure;
import io.github.distlock.docs.examples.ExampleTypes.Outbox;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.docs.examples.ExampleTypes.Report;
import io.github.distlock.docs.examples.ExampleTypes.ReportService;
import io.github.distlock.testing.RedisTestServer;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.support.GenericApplicationContext;

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
		return RecipeNode.start(redis, (context) -> {
			register(context);
			for (Class<?> bean : beans) {
				context.registerBean(bean);
			}
		}, List.of("distlock.key-prefix=" + prefix()));
	}

	private void register(GenericApplicationContext context) {
		context.registerBean(ReportService.class, () -> (user) -> {
			this.done.add("report of " + user);
			return new Report(user);
		});
		context.registerBean(PriceService.class, () -> new ShopRecipeTests.Work(this.done));
	}

	@Test
	void eachTenantIsDoneOnceByTheNodesTogether() {
		try (RecipeNode one = start(TenantReports.class, ReportJob.class);
				RecipeNode two = start(TenantReports.class, ReportJob.class);
				RecipeNode three = start();
				HeldLock lock = three.lock("report-bob")) {
			one.bean(ReportJob.class).run();
			two.bean(ReportJob.class).run();
		}
		assertThat(this.done).containsExactlyInAnyOrder("report of ann", "report of eve");
	}

	@Test
	void withThePrefixAJobWithoutATenantInItsKeyRunsOnceForEachTenant() {
		try (RecipeNode one = start(TenantPrefix.class, Runner.class);
				RecipeNode two = start(TenantPrefix.class, Runner.class)) {
			assertThat(this.done).containsExactly("published");
			for (String tenant : List.of("ann", "bob")) {
				TenantPrefix.TENANT.set(tenant);
				one.bean(Runner.class).run(one.bean(ApplicationArguments.class));
				two.bean(Runner.class).run(two.bean(ApplicationArguments.class));
			}
		}
		finally {
			TenantPrefix.TENANT.remove();
		}
		assertThat(this.done).containsExactly("published", "published", "published");
	}

	@Test
	void oneNodeAtATimeSendsTheMessagesOfTheOutbox() {
		List<String> unsent = new CopyOnWriteArrayList<>(List.of("a", "b"));
		try (RecipeNode one = start(); RecipeNode two = sender(unsent)) {
			try (HeldLock lock = one.lock("outbox")) {
				two.bean(OutboxJob.class).send();
				assertThat(this.done).isEmpty();
			}
			two.bean(OutboxJob.class).send();
			two.bean(OutboxJob.class).send();
		}
		assertThat(this.done).containsExactly("a", "b");
	}

	private RecipeNode sender(List<String> unsent) {
		return RecipeNode.start(redis,
				(context) -> context.registerBean(OutboxJob.class,
						() -> new OutboxJob(new Messages(unsent), this.done::add)),
				List.of("distlock.key-prefix=" + prefix()));
	}

	private String prefix() {
		return System.identityHashCode(this) + ":";
	}

	@Test
	void oneNodeDoesTheWorkAtTheStartAndEachItsWorkAtTheEnd() {
		try (RecipeNode one = start(FirstAndLastWork.class); RecipeNode two = start(FirstAndLastWork.class)) {
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
