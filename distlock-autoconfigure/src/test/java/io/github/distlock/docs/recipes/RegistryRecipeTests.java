package io.github.distlock.docs.recipes;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.docs.examples.ExampleTypes.Report;
import io.github.distlock.docs.recipes.ShopRecipeTests.Work;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the recipes that are calls of a registry, on two nodes.
 */
class RegistryRecipeTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	private final List<String> done = new CopyOnWriteArrayList<>();

	@AutoClose
	private final RecipeNode one = RecipeNode.start(redis, (context) -> {
	}, List.of());

	@AutoClose
	private final RecipeNode two = RecipeNode.start(redis, (context) -> {
	}, List.of());

	private final RegistryRecipes recipes = new RegistryRecipes(this.two.bean(LockRegistry.class), (user) -> {
		this.done.add("report of " + user);
		return new Report(user);
	}, (tenant) -> this.done.add("rebuilt " + tenant));

	private ShopRecipes shop(Work work) {
		return new ShopRecipes((show, seat) -> {
		}, work, (tenant) -> {
		}, work, Report::new);
	}

	@Test
	void eachAcquisitionPassesThroughTheRegistryAroundThatOfTheStore() {
		try (RecipeNode audited = RecipeNode.start(redis, (context) -> {
			context.registerBean("audit", Consumer.class, () -> (request) -> this.done.add(request.toString()));
			context.registerBean(ShopRecipes.class, () -> shop(new Work(this.done)));
		}, List.of(), AuditedLocks.class); HeldLock lock = this.one.lock("publish-prices")) {
			audited.bean(ShopRecipes.class).publishPrices();
			assertThat(this.done).singleElement().asString().contains("publish-prices");
		}
	}

	@Test
	void aReportOfAReactiveCallerIsCreatedUnderTheLockAndReleasesItWithoutAThread() {
		assertThat(this.recipes.reportOf("ann").block()).isEqualTo(new Report("ann"));
		try (HeldLock lock = this.one.lock("report-ann")) {
			assertThat(this.done).containsExactly("report of ann");
		}
	}

	@Test
	void aReportIsCreatedOrTheAnswerSaysWhyNot() throws Exception {
		try (HeldLock lock = this.one.lock("report-ann")) {
			assertThat(this.recipes.createReport("ann")).isEqualTo("Not now: TIMEOUT");
		}
		assertThat(this.recipes.createReport("ann")).isEqualTo("Created");
		assertThat(this.done).containsExactly("report of ann");
	}

	@Test
	void workStopsBeforeItsLockIsLost() throws Exception {
		try (RedisNodes nodes = RedisNodes.start(); TcpProxy proxy = new TcpProxy(nodes.server().port())) {
			BackendLockRegistry registry = nodes.nodeBehind(proxy.port(), RedisNodes.settings(Duration.ofSeconds(10)),
					List.of());
			RegistryRecipes indexer = new RegistryRecipes(registry, Report::new, (tenant) -> {
				if (this.done.isEmpty()) {
					this.done.add(tenant);
					proxy.holdBack(true);
					await().atMost(Duration.ofSeconds(20)).until(() -> registry.holdSummary().atRisk() == 1);
					proxy.holdBack(false);
				}
			});
			assertThat(indexer.rebuild(Collections.nCopies(Integer.MAX_VALUE, "a"))).isLessThan(Integer.MAX_VALUE);
			nodes.stopNodes();
		}
	}

}
