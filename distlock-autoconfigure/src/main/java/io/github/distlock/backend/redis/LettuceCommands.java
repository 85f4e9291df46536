package io.github.distlock.backend.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.jspecify.annotations.Nullable;

/**
 * Sends commands on one connection of Lettuce, without waiting. While the connection is
 * broken they fail at once.
 */
final class LettuceCommands implements RedisCommands {

	private final StatefulConnection<byte[], byte[]> connection;

	private final RedisClusterAsyncCommands<byte[], byte[]> commands;

	/** How many scripts were sent. */
	private final AtomicInteger sent = new AtomicInteger();

	LettuceCommands(StatefulConnection<byte[], byte[]> connection) {
		this.connection = connection;
		this.commands = (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster.async()
				: ((StatefulRedisConnection<byte[], byte[]>) connection).async();
	}

	@Override
	public CompletionStage<String> evaluate(String command, String script, List<String> keys, String... args) {
		int number = this.sent.incrementAndGet() & Integer.MAX_VALUE;
		// As short as possible. Names are repeated after 512 commands.
		String name = "" + (char) ('!' + number % 8) + (char) ('0' + number / 8 % 64);
		byte[][] names = RedisCommands.bytes(keys.toArray(String[]::new));
		var arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(script).add(names.length).addKeys(names);
		for (String arg : args) {
			arguments.add(arg);
		}
		return this.commands.dispatch(CommandType.valueOf(command), new StatusOutput<>(ByteArrayCodec.INSTANCE) {

			/** If this fails, the driver closes the connection. */
			@Override
			public void complete(int depth) {
				this.output = hasError() ? null : RedisCommands.unnamed(this.output, name);
			}

		}, arguments.add(name));
	}

	@Override
	public CompletionStage<@Nullable String> execute(String command, byte[]... args) {
		return this.commands.dispatch(CommandType.valueOf(command), new StatusOutput<>(ByteArrayCodec.INSTANCE),
				new CommandArgs<>(ByteArrayCodec.INSTANCE).addValues(args));
	}

	boolean isOpen() {
		return this.connection.isOpen();
	}

	CompletionStage<LettuceCommands> close() {
		return this.connection.closeAsync().thenApply((closed) -> this);
	}

}
