package io.github.distlock.docs;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.autoconfigure.DistlockAopAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockRedisAutoConfiguration;
import io.github.distlock.docs.Example.Broker;
import io.github.distlock.docs.Example.PaymentService;
import io.github.distlock.docs.Example.Price;
import io.github.distlock.docs.Example.PriceService;
import io.github.distlock.docs.Example.Receipt;
import io.github.distlock.docs.Example.Report;
import io.github.distlock.docs.Example.ReportService;
import io.github.distlock.docs.Example.SearchIndex;
import io.github.distlock.docs.Example.SeatPlan;
import io.github.distlock.testing.RedisTestServer;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A node of an application, as one JVM would be: it has its own registry, which the
 * others meet in Redis. Its beans are code of the page.
 */
final class RecipeNode implements AutoCloseable {

	private static final String PAGE = "docs/recipes.md";

	private static final String SHIP = "@OrderLock public void ship(String orderId) { this.payments.pay(orderId); }";

	private static final String WRONG = "@OrderLock public void shipWithWrongName(String id) { }";

	private static final PageCode CODE = PageCode.of(List.of(PAGE), new CodeBlock(PAGE, 1, "java", true, SHIP),
			new CodeBlock(PAGE, 2, "java", true, WRONG));

	private final ConfigurableApplicationContext context;

	private RecipeNode(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/** Return the class of the page that has a name, or a method with this name. */
	static Class<?> code(String name) {
		return CODE.type(name);
	}

	/** Start a node whose services write down what they do. */
	static RecipeNode start(RedisTestServer redis, List<String> done, List<String> properties, Class<?>... sources) {
		return start(redis, (context) -> context.registerBean(Work.class, () -> new Work(done)), properties, sources);
	}

	/**
	 * Start a node with further beans, properties like {@code name=value}, and sources.
	 */
	static RecipeNode start(RedisTestServer redis, ApplicationContextInitializer<GenericApplicationContext> beans,
			List<String> properties, Class<?>... sources) {
		SpringApplicationBuilder node = new SpringApplicationBuilder(Locks.class).sources(sources)
			.resourceLoader(new DefaultResourceLoader(CODE.loader()))
			.initializers(beans)
			.properties("distlock.redis.command-timeout=5s")
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false);
		// The logging belongs to the JVM: nodes that start at once would take the
		// environment that it is configured with from each other.
		node.application()
			.setListeners(node.application()
				.getListeners()
				.stream()
				.filter((listener) -> !(listener instanceof LoggingApplicationListener))
				.toList());
		return new RecipeNode(node.run(Stream
			.concat(Stream.of("spring.data.redis.port=" + redis.port(), "spring.main.banner-mode=off",
					"distlock.shutdown-grace-period=100ms"), properties.stream())
			.map("--"::concat)
			.toArray(String[]::new)));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	<T extends @Nullable Object> T call(String method, Object... arguments) {
		return (T) ReflectionTestUtils.invokeMethod(bean(code(method)), method, arguments);
	}

	/** Acquire a lock from code, without waiting. */
	HeldLock lock(String key) {
		return bean(LockRegistry.class).tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO))
			.orElseThrow(() -> new IllegalStateException(key + " is taken"));
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Fields.class)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			DistlockAutoConfiguration.class, DistlockRedisAutoConfiguration.class, DistlockAopAutoConfiguration.class })
	static class Locks {

	}

	/** Fills the fields of methods that a page shows without their class. */
	record Fields(BeanFactory beans) implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof Example) {
				ReflectionUtils.doWithFields(Example.class, (field) -> {
					ReflectionUtils.makeAccessible(field);
					field.set(bean, this.beans.getBeanProvider(field.getType()).getIfUnique());
				}, (field) -> field.getType().isInterface() && field.getType() != List.class
						&& ReflectionUtils.COPYABLE_FIELDS.matches(field));
			}
			return bean;
		}

	}

	record Work(
			List<String> done) implements PriceService, PaymentService, SeatPlan, SearchIndex, ReportService, Broker {

		@Override
		public Price read(String sku) {
			return new Price(sku, BigDecimal.ONE);
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
		public void reserve(String show, int seat) {
			this.done.add("reserved " + show + " " + seat);
		}

		@Override
		public void rebuild(String tenant) {
			this.done.add("rebuilt " + tenant);
		}

		@Override
		public Report create(String user) {
			this.done.add("report of " + user);
			return new Report(user);
		}

		@Override
		public void send(String message) {
			this.done.add(message);
		}

	}

}
