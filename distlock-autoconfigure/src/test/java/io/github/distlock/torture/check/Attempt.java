package io.github.distlock.torture.check;

import java.util.ArrayList;
import java.util.List;

/**
 * One call for a lock and its consequences, built from its events. Moments that did not
 * occur are {@link #NEVER}.
 */
public final class Attempt {

	/** A moment that did not occur. */
	public static final long NEVER = Long.MAX_VALUE;

	private final Event start;

	private final List<Event> events = new ArrayList<>();

	final long started;

	long waiting = NEVER;

	long granted = NEVER;

	/** When the call ended without the lock. */
	long ended = NEVER;

	private long release = NEVER;

	long released = NEVER;

	/** The end of the lock's validity, as last reported to the holder. */
	long deadline = Long.MIN_VALUE;

	/** When its holder was told that a lock which may end early has ended. */
	private long told = NEVER;

	/** Whether its holder could know before the release that the lock was lost. */
	boolean knownLost;

	private final boolean endsEarly;

	long token;

	/** The word of the worker for the end of the release, empty if it did not end. */
	private String how = "";

	Attempt(Event start, boolean endsEarly) {
		this.start = start;
		this.started = start.nanos();
		this.endsEarly = endsEarly;
		this.events.add(start);
	}

	void add(Event event) {
		this.events.add(event);
		switch (event.kind()) {
			case WAITING -> this.waiting = event.nanos();
			case GRANTED -> {
				this.granted = event.nanos();
				this.token = event.number("token");
				known(event);
			}
			case CHECK -> known(event);
			case RELEASE -> {
				this.release = event.nanos();
				this.knownLost = event.text("held").equals("false");
			}
			case RELEASED -> {
				this.released = event.nanos();
				this.how = event.text("how");
			}
			case ENDED -> this.ended = event.nanos();
			default -> {
			}
		}
	}

	private void known(Event event) {
		if (event.number("rem") > 0) {
			this.deadline = Math.max(this.deadline, event.nanos() + event.number("rem"));
		}
		else if (this.endsEarly) {
			this.told = Math.min(this.told, event.nanos());
		}
	}

	public String id() {
		return this.start.source() + "#" + this.start.text("a");
	}

	public String worker() {
		return this.start.source();
	}

	public String key() {
		return this.start.text("key");
	}

	public long leaseNanos() {
		return this.start.number("lease") * 1_000_000;
	}

	public boolean isFair() {
		return this.start.text("fair").equals("true");
	}

	/** Whether the watchdog renews the lease until the release. */
	public boolean isRenewed() {
		return !this.start.text("renewed").equals("false");
	}

	/** Whether others may read at the same time. */
	public boolean reads() {
		return this.start.text("mode").equals("READ");
	}

	/** How many may hold the lock at once, as far as this caller is concerned. */
	public long permits() {
		long permits = this.start.number("permits");
		return (permits > 0) ? permits : reads() ? Long.MAX_VALUE : 1;
	}

	public boolean isGranted() {
		return this.granted != NEVER;
	}

	/** Whether the release succeeded: the lock was valid until then. */
	public boolean isReleasedWell() {
		return this.released != NEVER && this.how.equals("ok");
	}

	public Claim claim() {
		if (!isGranted() || this.deadline == Long.MIN_VALUE) {
			return new Claim(0, 0);
		}
		long end = Math.min(this.deadline, this.told);
		return new Claim(this.granted, isReleasedWell() ? this.release : Math.min(this.release, end));
	}

	public List<Event> events() {
		return List.copyOf(this.events);
	}

	@Override
	public String toString() {
		return id();
	}

	/**
	 * The time during which a lock was guaranteed to its holder, and therefore to no
	 * other. Empty if it had passed before the call returned.
	 *
	 * @param start when the call returned
	 * @param end when the holder released the lock, or when its validity ended
	 */
	public record Claim(long start, long end) {

		public boolean isEmpty() {
			return this.end <= this.start;
		}

		public boolean contains(long nanos) {
			return this.start <= nanos && nanos < this.end;
		}

	}

}
