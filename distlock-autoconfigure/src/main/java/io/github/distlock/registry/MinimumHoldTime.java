package io.github.distlock.registry;

import java.time.Duration;
import java.util.function.Consumer;

import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.renewal.Lease;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;
import org.jspecify.annotations.Nullable;

/**
 * A lock that its holder has left, and that stays taken for the rest of its minimum hold
 * time. Nobody is inside, so its end is no loss.
 */
final class MinimumHoldTime extends Lease {

	private final Holder admission;

	private final Consumer<MinimumHoldTime> end;

	/**
	 * Keep a lock.
	 * @param admission the stay that has ended
	 * @param validity until when the store's grant counts; if that is too soon the store
	 * is asked for more
	 * @param rest for how long it is kept
	 * @param clock the time
	 * @param end is told when it is to be released
	 */
	MinimumHoldTime(Holder admission, Validity validity, Duration rest, TimeSource clock,
			Consumer<MinimumHoldTime> end) {
		super(validity, new LeaseTerms(rest, LeaseTerms.lasting(rest), false, null, rest), clock);
		this.admission = admission;
		this.end = end;
	}

	Holder admission() {
		return this.admission;
	}

	@Override
	protected Ticket ticket() {
		return this.admission.ticket();
	}

	@Override
	protected long lastToken() {
		return this.admission.lastToken();
	}

	@Override
	protected boolean countsFromConfirmation() {
		return false;
	}

	@Override
	protected @Nullable Thread owner() {
		return null;
	}

	@Override
	protected void lost(LossCause cause, String reason) {
		this.end.accept(this);
	}

}
