package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Sends commands on connections of the application, with any driver, and waits for each
 * answer. An interrupt before a command does not disturb it; one that ends the wait of
 * the driver is a failure like any other.
 */
final class BlockingCommands implements RedisCommands {

	private final RedisConnectionFactory application;

	/**
	 * How many scripts were sent: a name for each of them. Another store of this JVM uses
	 * the same connections, and other names.
	 */
	private final AtomicLong sent = new AtomicLong(System.nanoTime());

	BlockingCommands(RedisConnectionFactory application) {
		this.application = application;
	}

	@Override
	public CompletionStage<String> evaluate(String command, String script, List<String> keys, String... args) {
		String name = "#" + this.sent.incrementAndGet();
		Stream<String> named = Stream.of(StringUtils.addStringToArray(args, name));
		byte[][] keysAndArgs = RedisCommands.bytes(Stream.concat(keys.stream(), named).toArray(String[]::new));
		return send((connection) -> {
			RedisScriptingCommands commands = connection.scriptingCommands();
			Object answer = command.equals("EVALSHA")
					? commands.evalSha(script, ReturnType.VALUE, keys.size(), keysAndArgs)
					: commands.eval(RedisCommands.bytes(script)[0], ReturnType.VALUE, keys.size(), keysAndArgs);
			return unnamed(answer, name, connection);
		});
	}

	/** The driver does not notice a wrong answer, and would use the connection again. */
	private String unnamed(@Nullable Object answer, String name, RedisConnection connection) {
		String text = (answer instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : "";
		if (!text.endsWith(name) && this.application instanceof LettuceConnectionFactory lettuce) {
			lettuce.resetConnection();
		}
		else if (!text.endsWith(name) && ConnectionUtils.isJedis(this.application)) {
			JedisSubscription.discard(connection.getNativeConnection());
		}
		return RedisCommands.unnamed(text, name);
	}

	@Override
	public CompletionStage<@Nullable String> execute(String command, byte[]... args) {
		return send((connection) -> {
			Object answer = connection.execute(command, args);
			return (answer instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8)
					: (answer != null) ? answer.toString() : null;
		});
	}

	private <T extends @Nullable Object> CompletionStage<T> send(Function<RedisConnection, T> command) {
		boolean interrupted = Thread.interrupted();
		try (RedisConnection connection = this.application.getConnection()) {
			return CompletableFuture.completedFuture(command.apply(connection));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
