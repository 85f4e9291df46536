package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Replies that are lost, doubled or swapped on their way to a driver: it takes each later
 * reply for that of another command. No reply is taken for a grant or a renewal that the
 * server did not give, and locks work again without a restart.
 */
class ShiftedReplyTests extends OnRedis {

	private static final int THREADS = 8;

	private static final int DISTURBANCES = 20;

	private static final Duration LEASE = Duration.ofSeconds(60);

	private final AtomicLong tickets = new AtomicLong();

	private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

	private final AtomicInteger disturbances = new AtomicInteger();

	private volatile boolean ended;

	@ParameterizedTest
	@CsvSource({ "lettuce, DROP", "lettuce, DOUBLE", "lettuce, SWAP", "shared lettuce, DOUBLE", "jedis, DROP",
			"jedis, DOUBLE" })
	void aReplyIsNeverTakenForAGrantOfAnotherCommandAndLocksWorkAgain(String driver, Disturbance disturbance)
			throws Exception {
		try (TcpProxy proxy = new TcpProxy(server.port())) {
			RedisConnectionFactory application = driver.equals("jedis") ? hastyJedis(proxy.port())
					: lettuce(proxy.port());
			LockStore store = open(driver.equals("lettuce") ? hasty(application) : sharing(application), "me");
			whileUsed(store, (disturbed) -> proxy
				.disturb(disturbed ? (replies) -> disturbance.of(replies, this.disturbances) : null));
			((DisposableBean) application).destroy();
		}
	}

	/**
	 * After an error the driver drops the command that waits longest, but not its reply.
	 */
	@Test
	void aConnectionBeginsAnewAfterAnErrorOnItsThread() throws Exception {
		AtomicBoolean failing = new AtomicBoolean();
		ClientResources resources = ClientResources.builder().nettyCustomizer(new NettyCustomizer() {

			@Override
			public void afterChannelInitialized(Channel channel) {
				String decoder = channel.pipeline().context(CommandHandler.class).name();
				channel.pipeline().addBefore(decoder, "failing", new ChannelInboundHandlerAdapter() {

					@Override
					public void channelRead(ChannelHandlerContext context, Object message) {
						context.fireChannelRead(message);
						if (failing.get() && isNext()) {
							ShiftedReplyTests.this.disturbances.incrementAndGet();
							throw new OutOfMemoryError("Java heap space");
						}
					}

				});
			}

		}).build();
		LettuceConnectionFactory application = RedisTestServer
			.started(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", server.port()),
					LettuceClientConfiguration.builder().clientResources(resources).build()));
		whileUsed(open(hasty(application), "me"), failing::set);
		application.destroy();
		resources.shutdown(0, 0, TimeUnit.SECONDS);
	}

	private void whileUsed(LockStore store, Consumer<Boolean> disturb) {
		await().ignoreExceptions().untilAsserted(store::verify);
		List<CompletableFuture<?>> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			String key = "key-" + i % (THREADS / 2);
			threads.add(CompletableFuture.runAsync(() -> use(store, key), (task) -> new Thread(task).start()));
		}
		try {
			disturb.accept(true);
			await().atMost(Duration.ofMinutes(5)).until(() -> this.disturbances.get() >= DISTURBANCES);
			disturb.accept(false);
			await().atMost(Duration.ofMinutes(1)).until(() -> works(store));
		}
		finally {
			disturb.accept(false);
			this.ended = true;
			threads.forEach(CompletableFuture::join);
			store.close();
			assertThat(this.wrong).isEmpty();
		}
	}

	/** So that a command whose reply is lost ends soon. */
	private static RedisLockBackend hasty(RedisConnectionFactory connections) {
		return backend(connections, Duration.ofSeconds(1), TimeSource.SYSTEM);
	}

	private static boolean isNext() {
		return ThreadLocalRandom.current().nextInt(30) == 0;
	}

	/** Shared connections have the time-out of the application: a minute by default. */
	private static RedisConnectionFactory lettuce(int port) {
		return RedisTestServer.started(new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(1)).build()));
	}

	private static RedisConnectionFactory hastyJedis(int port) {
		return RedisTestServer.started(new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port),
				JedisClientConfiguration.builder().readTimeout(Duration.ofSeconds(1)).usePooling().build()));
	}

	/** Take, renew and release a lock, which another thread uses, too. */
	private void use(LockStore store, String key) {
		while (!this.ended) {
			Ticket ticket = ticket(key, this.tickets.incrementAndGet());
			try {
				if (Answers.of(store.attempt(ticket, LEASE, false)) instanceof Grant granted) {
					check("granted", ticket);
					long last = granted.lastToken();
					for (RenewalResult result : Answers.of(store.renew(List.of(new Renewal(ticket, last, LEASE))))) {
						if (result instanceof RenewalResult.Extended) {
							check("renewed", ticket);
						}
					}
					release(store, ticket, granted.firstToken());
				}
			}
			catch (RuntimeException ex) {
				release(store, ticket, 0);
			}
		}
	}

	/** Ask the server itself, which no other thread uses for this ticket. */
	private void check(String what, Ticket ticket) {
		String word = template.opsForValue().get("distlock:lock:{" + ticket.key() + "}");
		if (word == null || !word.contains(ticket.token() + "|")) {
			this.wrong.add(ticket + " was " + what + ", but the lock is " + word);
		}
	}

	/** Release the lock if the ticket holds it. */
	private void release(LockStore store, Ticket ticket, long lastToken) {
		while (!this.ended) {
			try {
				Answers.of(store.release(ticket, lastToken, null));
				return;
			}
			catch (RuntimeException ex) {
				// The connection has begun anew.
			}
		}
	}

	private boolean works(LockStore store) {
		for (int i = 0; i < 100; i++) {
			long number = this.tickets.incrementAndGet();
			Ticket ticket = ticket("works-" + number, number);
			try {
				AttemptResult result = Answers.of(store.attempt(ticket, LEASE, false));
				if (!(result instanceof Grant granted)
						|| !Answers.of(store.release(ticket, granted.firstToken(), null)).released()) {
					return false;
				}
			}
			catch (RuntimeException ex) {
				return false;
			}
		}
		return true;
	}

	/** What happens to replies that arrive together, which are replaced. */
	enum Disturbance {

		DROP, DOUBLE, SWAP;

		List<byte[]> of(List<byte[]> replies, AtomicInteger disturbances) {
			List<byte[]> changed = new ArrayList<>(replies);
			int last = changed.size() - 1;
			if (last < 0 || this == SWAP && last == 0 || !isNext()) {
				return replies;
			}
			disturbances.incrementAndGet();
			switch (this) {
				case DROP -> changed.remove(0);
				case DOUBLE -> changed.add(changed.get(last));
				default -> Collections.swap(changed, 0, last);
			}
			return changed;
		}

	}

}
