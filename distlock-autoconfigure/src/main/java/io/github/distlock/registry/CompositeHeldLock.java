package io.github.distlock.registry;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held in two registries, as its caller sees it. A part that is not held
 * is never held again, so the parts know whether both are held.
 *
 * @param first the part in the first registry
 * @param second the part in the second registry
 */
record CompositeHeldLock(HeldLock first, HeldLock second) implements HeldLock {

	@Override
	public String key() {
		return this.first.key();
	}

	@Override
	public String name() {
		return this.first.name();
	}

	@Override
	public long fencingToken() {
		return this.first.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.first.isHeld() && this.second.isHeld();
	}

	@Override
	public boolean isSessionBound() {
		return this.first.isSessionBound() && this.second.isSessionBound();
	}

	@Override
	public boolean confirmHeld() {
		return this.first.confirmHeld() && this.second.confirmHeld();
	}

	@Override
	public Duration remaining() {
		return Collections.min(List.of(this.first.remaining(), this.second.remaining()));
	}

	/**
	 * While one part is being released the other may still be held. Whether both are held
	 * must be read first: read last, a loss in between would look like a release.
	 */
	@Override
	public boolean isReleased() {
		return !isHeld() && Stream.of(this.first, this.second).allMatch((part) -> part.isHeld() || part.isReleased());
	}

	@Override
	public @Nullable LossCause lossCause() {
		LossCause ofFirst = this.first.lossCause();
		return (ofFirst != null) ? ofFirst : this.second.lossCause();
	}

	@Override
	public void onLost(Runnable callback) {
		AtomicBoolean called = new AtomicBoolean();
		Runnable once = () -> {
			if (called.compareAndSet(false, true)) {
				callback.run();
			}
		};
		this.first.onLost(once);
		this.second.onLost(once);
	}

	@Override
	public void expireAfter(Duration leaseTime) {
		this.first.expireAfter(leaseTime);
		this.second.expireAfter(leaseTime);
	}

	@Override
	public void close() {
		releaseBoth(this.first::close, this.second::close);
	}

	@Override
	public void abandon() {
		releaseBoth(this.first::abandon, this.second::abandon);
	}

	/** Release two parts in reverse order, the first one even if the second fails. */
	static void releaseBoth(PartRelease first, PartRelease second) {
		try (first; second) {
			// The end of the block releases them.
		}
	}

	/** Release a part under which no work was done: its loss concerns no caller. */
	static void releaseUnused(PartRelease part) {
		try {
			part.close();
		}
		catch (LockLostException ex) {
			// The registry has reported it.
		}
	}

	/** A way to release one part. */
	interface PartRelease extends AutoCloseable {

		@Override
		void close();

	}

}
