package io.github.distlock.benchmarks.annotation;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Calls of one method: direct, annotated, and programmatically locked, over a registry
 * that does nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnnotationCost {

	private @Nullable ConfigurableApplicationContext context;

	private final CountedStock plain = new CountedStock();

	private CountedStock proxied = this.plain;

	private LockRegistry registry = new SilentRegistry();

	/** Start an application. */
	@Setup
	public void start() {
		this.context = new SpringApplicationBuilder(Application.class)
			.properties(Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn",
					"spring.main.register-shutdown-hook", "false", "spring.main.web-application-type", "none"))
			.run();
		this.proxied = this.context.getBean(CountedStock.class);
		this.registry = this.context.getBean(LockRegistry.class);
	}

	/** Stop it. */
	@TearDown
	public void stop() {
		if (this.context != null) {
			this.context.close();
		}
	}

	/**
	 * Call the method itself.
	 * @return its result
	 */
	@Benchmark
	public long direct() {
		return this.plain.sell("a-1");
	}

	/**
	 * Call a bean's annotated method, with a key of its argument.
	 * @return its result
	 */
	@Benchmark
	public long annotated() {
		return this.proxied.sellLocked("a-1");
	}

	/**
	 * Call a bean's annotated method that has one lock for all.
	 * @return its result
	 */
	@Benchmark
	public long annotatedWithoutKey() {
		return this.proxied.sellOne("a-1");
	}

	/**
	 * Call the method under a lock that is taken by code.
	 * @return its result
	 * @throws Exception never
	 */
	@Benchmark
	public long programmatic() throws Exception {
		return this.registry.execute(LockRequest.of("stock-" + "a-1"), () -> this.plain.sell("a-1"));
	}

	/** An application with a registry of its own. */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		LockRegistry registry() {
			return new SilentRegistry();
		}

		@Bean
		CountedStock stock() {
			return new CountedStock();
		}

	}

}
