package io.github.distlock.docs.recipes;

import java.math.BigDecimal;
import java.security.Principal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.docs.examples.ExampleTypes.PaymentService;
import io.github.distlock.docs.examples.ExampleTypes.Price;
import io.github.distlock.docs.examples.ExampleTypes.PriceService;
import io.github.distlock.docs.examples.ExampleTypes.Receipt;
import io.github.distlock.docs.examples.ExampleTypes.Report;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

/**
 * Runs the recipes that are methods, on two nodes.
 */
class ShopRecipeTests {

	@AutoClose
	private static final RedisTestServer redis = RedisTestServer.start();

	/** What both nodes did. */
	private final List<String> done = new CopyOnWriteArrayList<>();

	@AutoClose
	private final RecipeNode one = start("shop:");

	@AutoClose
	private final RecipeNode two = start("shop:");

	private RecipeNode start(String prefix) {
		return RecipeNode.start(redis, (context) -> context.registerBean(ShopRecipes.class, this::recipes),
				List.of("distlock.key-prefix=" + prefix));
	}

	private ShopRecipes recipes() {
		Work work = new Work(this.done);
		return new ShopRecipes((show, seat) -> this.done.add("reserved " + show + " " + seat), work,
				(tenant) -> this.done.add("rebuilt " + tenant), work, (user) -> {
					this.done.add("report of " + user);
					return new Report(user);
				});
	}

	@Test
	void twoArgumentsWithASeparatorAreOneLockForEachPair() {
		try (HeldLock lock = this.one.lock("seat-1/23")) {
			this.two.bean(ShopRecipes.class).reserve("12", 3);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.bean(ShopRecipes.class).reserve("1", 23));
		}
		assertThat(this.done).containsExactly("reserved 12 3");
	}

	@Test
	void aLockThatIsTakenIsStatus409AndTellsNothing() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Payments(this.two.bean(ShopRecipes.class)))
			.setControllerAdvice(new LockErrors())
			.build();
		try (HeldLock lock = this.one.lock("pay-42")) {
			var response = mvc.perform(post("/pay")).andReturn().getResponse();
			assertThat(response.getStatus()).isEqualTo(HttpStatus.CONFLICT.value());
			assertThat(response.getContentAsString()).contains("Another request").doesNotContain("pay-42", "pid");
		}
		assertThat(mvc.perform(post("/pay")).andReturn().getResponse().getStatus()).isEqualTo(200);
	}

	@Test
	void aStoreThatIsDownIsStatus503() throws Exception {
		MockMvc mvc = MockMvcBuilders.standaloneSetup(new Payments(this.two.bean(ShopRecipes.class)))
			.setControllerAdvice(new LockErrors())
			.build();
		this.two.close();
		assertThat(mvc.perform(post("/pay")).andReturn().getResponse().getStatus()).isEqualTo(503);
	}

	@Test
	void theJobRunsOnOneNode() {
		this.one.bean(ShopRecipes.class).publishPrices();
		this.two.bean(ShopRecipes.class).publishPrices();
		assertThat(this.done).containsExactly("published");
	}

	@Test
	void theIndexOfATenantIsBuiltOnceInThirtySeconds() {
		this.one.bean(ShopRecipes.class).refreshIndex("a");
		this.two.bean(ShopRecipes.class).refreshIndex("a");
		this.one.bean(ShopRecipes.class).refreshIndex("a");
		this.two.bean(ShopRecipes.class).refreshIndex("b");
		assertThat(this.done).containsExactly("rebuilt a", "rebuilt b");
	}

	@Test
	void aSecondPaymentIsRefusedAlsoAfterOneThatFailed() {
		assertThatException().isThrownBy(() -> this.one.bean(ShopRecipes.class).pay("too-much"))
			.isInstanceOf(IllegalArgumentException.class);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.two.bean(ShopRecipes.class).pay("too-much"));
	}

	@Test
	void eachUserHasOneReportAtATime() {
		Principal ann = () -> "ann";
		Principal bob = () -> "bob";
		try (HeldLock lock = this.one.lock("report-ann")) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.bean(ShopRecipes.class).report(ann))
				.withMessageContaining("report-ann");
			this.two.bean(ShopRecipes.class).report(bob);
		}
		this.two.bean(ShopRecipes.class).report(ann);
		assertThat(this.done).containsExactly("report of bob", "report of ann");
	}

	@Test
	void servicesShareTheLocksOfTheirPrefixAndNoOthers() {
		try (RecipeNode other = start("billing:"); HeldLock lock = this.one.lock("order-42")) {
			other.bean(ShopRecipes.class).ship("42");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.bean(ShopRecipes.class).ship("42"));
		}
		assertThat(this.done).containsExactly("paid 42");
	}

	@Test
	void theSharedAnnotationNeedsTheNameOfItsParameter() {
		assertThatException()
			.isThrownBy(() -> RecipeNode.start(redis, (context) -> context.registerBean(WrongName.class), List.of())
				.close())
			.havingCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("orderId");
	}

	record Work(List<String> done) implements PriceService, PaymentService {

		@Override
		public Price read(String sku) {
			return new Price(sku, BigDecimal.ONE);
		}

		@Override
		public void write(String sku, BigDecimal amount) {
			this.done.add("wrote " + sku);
		}

		@Override
		public void publish() {
			this.done.add("published");
		}

		@Override
		public Receipt pay(String order) {
			if (order.equals("too-much")) {
				throw new IllegalArgumentException(order);
			}
			this.done.add("paid " + order);
			return new Receipt(order, BigDecimal.ONE);
		}

		@Override
		public void transfer(String from, String to, BigDecimal amount) {
			this.done.add("transferred");
		}

	}

	@RestController
	static class Payments {

		private final ShopRecipes shop;

		Payments(ShopRecipes shop) {
			this.shop = shop;
		}

		@PostMapping("/pay")
		void pay() {
			this.shop.pay("42");
		}

	}

	static class WrongName {

		@OrderLock
		void ship(String id) {
		}

	}

}
