package io.github.distlock.engine;

import java.util.HexFormat;

import io.github.distlock.LockMode;
import io.github.distlock.backend.LockKeys;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * The events of the JDK Flight Recorder. What an event does not know is zero or
 * {@code null}. The names are public, since recordings of several JVMs are compared by
 * them. Without stack traces, which would be most of the cost.
 */
@Category("distlock")
@StackTrace(false)
abstract class LockEvent extends Event {

	/** The name of the store. */
	@Nullable String registry;

	/**
	 * See {@link LockKeys#number}, in hexadecimal digits. Who knows which keys are
	 * possible can find out which one it is.
	 */
	@Nullable String keyHash;

	/** Only with {@code distlock.jfr.keys}. */
	@Nullable String key;

	@Nullable String label;

	@Nullable String mode;

	/** How many callers may hold the lock at once, zero without a limit. */
	int permits;

	long token;

	@Nullable String outcome;

	/** Write this event, unless its recording leaves it out. */
	void write(LockRecording recording, String lock, String name, LockMode requested, int limit) {
		if (shouldCommit()) {
			this.registry = recording.registry;
			this.keyHash = HexFormat.of().toHexDigits(LockKeys.number(recording.registry, lock));
			this.key = recording.keys ? lock : null;
			this.label = name;
			this.mode = requested.name();
			this.permits = limit;
			commit();
		}
	}

	/** A wait that has ended. */
	@Name("distlock.Wait")
	@Threshold("10 ms")
	static final class WaitEvent extends LockEvent {

	}

	/**
	 * What happens to a hold. Fields that end with {@code Nanos} are readings of the
	 * monotonic clock of the JVM.
	 */
	abstract static class HoldEvent extends LockEvent {

		/** The id of one run of the registry. */
		@Nullable String instance;

		/** Another number for each hold of an instance. */
		long hold;

		long grantToken;

		/**
		 * Whether the token is what the clock of the server said, in microseconds,
		 * between the {@link #askedNanos} and {@link #answeredNanos} of the grant.
		 */
		boolean firstToken;

		/** Before the command that has granted or renewed the lock was sent. */
		long askedNanos;

		/**
		 * When the answer had arrived; when the caller had taken the lock over, later.
		 */
		long answeredNanos;

		/** The largest number if the lock is valid as long as a session. */
		long validUntilNanos;

		/** Now. Later than the validity if this JVM has noticed its end too late. */
		long atNanos;

		/** Why the lock was lost, a {@link io.github.distlock.LossCause}. */
		@Nullable String cause;

	}

	/** A caller takes a lock over. */
	@Name("distlock.Grant")
	static final class GrantEvent extends HoldEvent {

	}

	/** A caller has released its lock, or has lost it. */
	@Name("distlock.GrantEnd")
	static final class GrantEndEvent extends HoldEvent {

	}

	/** A lock was lost, perhaps after its holder had released it. */
	@Name("distlock.Loss")
	static final class LossEvent extends HoldEvent {

	}

	@Name("distlock.Risk")
	static final class RiskEvent extends HoldEvent {

	}

	/** The outcome is {@code late} if half of the lease had passed. */
	@Name("distlock.Renewal")
	static final class RenewalEvent extends HoldEvent {

	}

}
