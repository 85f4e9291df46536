package io.github.distlock.transaction.applications;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.testing.RedisTestServer;
import org.awaitility.Awaitility;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Applications that share one real Redis and one database.
 */
final class Shops implements AutoCloseable {

	private static final String URL = "jdbc:h2:mem:shops;DB_CLOSE_DELAY=-1";

	private final RedisTestServer redis = RedisTestServer.start();

	/** Not part of any transaction. */
	private final JdbcClient jdbc = JdbcClient.create(new DriverManagerDataSource(URL, "sa", ""));

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	Shops() {
		this.jdbc.sql("create table book (id bigint primary key, quantity int not null, fence bigint default 0)")
			.update();
		this.jdbc.sql("insert into book (id, quantity) values (1, 10)").update();
	}

	void restock() {
		this.jdbc.sql("update book set quantity = 10").update();
	}

	/** Sell without a lock, as another application may. */
	void sell(int amount) {
		this.jdbc.sql("update book set quantity = quantity - ?").param(amount).update();
	}

	int stock() {
		return this.jdbc.sql("select quantity from book where id = 1").query(Integer.class).single();
	}

	ConfigurableApplicationContext open(List<Class<?>> sources, String... properties) {
		SpringApplication application = new SpringApplication(sources.toArray(Class<?>[]::new));
		application.setWebApplicationType(WebApplicationType.NONE);
		List<String> arguments = new ArrayList<>(List.of(properties));
		arguments.add("--spring.data.redis.port=" + this.redis.port());
		arguments.add("--spring.datasource.url=" + URL);
		arguments.add("--spring.jpa.hibernate.ddl-auto=none");
		ConfigurableApplicationContext context = application.run(arguments.toArray(String[]::new));
		this.applications.add(context);
		return context;
	}

	/** Has the same effect on the lock as a pause of the process. */
	static void outliveTheLease() {
		HeldLock lock = LockContext.current().orElseThrow();
		Awaitility.await().until(() -> !lock.isHeld());
	}

	/** Runs as in another JVM, with a thread and transactions of its own. */
	static CompletableFuture<Void> elsewhere(Runnable work) {
		return CompletableFuture.runAsync(work).orTimeout(20, TimeUnit.SECONDS);
	}

	@Override
	public void close() {
		this.applications.forEach(ConfigurableApplicationContext::close);
		this.jdbc.sql("shutdown").update();
		this.redis.close();
	}

}
