package io.github.distlock.operations;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.awaitility.Awaitility;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The state that the commands of the runbook look at: one application holds
 * {@code stock-42}, and another one waits for it.
 */
public final class LockedStock implements AutoCloseable {

	private static final String KEY = "stock-42";

	private final ConfigurableApplicationContext holder;

	private final ConfigurableApplicationContext waiter;

	private final HeldLock held;

	private final CompletableFuture<HeldLock> waiting;

	public LockedStock(Map<String, Object> properties) {
		this.holder = start(properties);
		this.waiter = start(properties);
		// Nodes of Redlock that have just started do not vote yet.
		LockRequest request = LockRequest.of(KEY).waitTime(Duration.ofMinutes(5));
		this.held = registry(this.holder).acquire(request);
		this.waiting = registry(this.waiter).acquireAsync(request);
	}

	private static ConfigurableApplicationContext start(Map<String, Object> properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(Map.of("spring.main.banner-mode", "off", "distlock.shutdown-grace-period", "0s"))
			.properties(properties)
			.run();
	}

	private static LockRegistry registry(ConfigurableApplicationContext context) {
		return context.getBean(LockRegistry.class);
	}

	public void awaitNextHolder() {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(this.waiting::isDone);
		this.waiting.join().close();
	}

	public HeldLock held() {
		return this.held;
	}

	/** Let another caller read under another key of the same application. */
	public HeldLock read(String key) {
		return registry(this.holder).acquireAsync(LockRequest.of(key).mode(LockMode.READ)).join();
	}

	@Override
	public void close() {
		this.waiting.cancel(true);
		try {
			this.held.close();
		}
		catch (LockLostException ex) {
			// A command ended the grant.
		}
		this.waiter.close();
		this.holder.close();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
