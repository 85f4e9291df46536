package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

/**
 * The release of a lock by a native command that is sent without waiting for its answer.
 * If the server answers that it has not replaced the word, the script of the release is
 * sent then, behind all commands that were sent meanwhile.
 * <p>
 * <b>Invariant.</b> While a release is not settled, this JVM attempts its key by native
 * commands only. Such an attempt may be executed before the script of the release: it
 * finds the word of this grant then, so it changes nothing, and is no refusal. An attempt
 * by a script waits until the script of the release is written. So each answer of such an
 * attempt is given after the release was executed, or the release has failed.
 * {@link NativeWords} keeps the releases that are not settled. The model of the protocol
 * has this rule, and finds what happens without it
 * ({@code SCRIPT_BEHIND_NATIVE_RELEASE}).
 * <p>
 * If the command fails, so does the release: nothing else is sent for it here, and it is
 * repeated by the script. A late copy of the command finds another word then, or ends the
 * same grant with the same token.
 */
final class NativeRelease {

	private final Predicate<Throwable> refusal;

	private final BiConsumer<NativeRelease, Settlement> listener;

	private final String[] command;

	private final CompletableFuture<Settlement> settled = new CompletableFuture<>();

	/**
	 * Create a release.
	 * @param refusal whether a failure says that the server has not executed the command
	 * @param listener is called before the release is settled
	 * @param command the arguments of {@code SET}
	 */
	NativeRelease(Predicate<Throwable> refusal, BiConsumer<NativeRelease, Settlement> listener, String... command) {
		this.refusal = refusal;
		this.listener = listener;
		this.command = command;
	}

	/** Completes when the command is answered and the script, if needed, is sent. */
	Future<Settlement> settled() {
		return this.settled;
	}

	/**
	 * Send the command.
	 * @return completes with the answer: {@code null} if the word was another one
	 */
	CompletionStage<String> sendTo(BaseRedisAsyncCommands<byte[], byte[]> commands) {
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		for (String each : this.command) {
			args.add(each.getBytes(StandardCharsets.UTF_8));
		}
		return commands.dispatch(CommandType.SET, new StatusOutput<>(ByteArrayCodec.INSTANCE), args);
	}

	/** Whether the server has refused the command without executing it. */
	boolean isRefused(Throwable failure) {
		return this.refusal.test(failure);
	}

	/** The command is answered, and the script has been sent if it is needed. */
	void settle(Settlement settlement) {
		try {
			this.listener.accept(this, settlement);
		}
		finally {
			this.settled.complete(settlement);
		}
	}

	/**
	 * What has become of the command.
	 */
	enum Settlement {

		/** It has released the lock. */
		RELEASED,

		/** It was not executed, or has found another word. */
		LEFT_TO_SCRIPT,

		/** It is not known whether it was executed. */
		FAILED

	}

}
