package io.github.distlock.backend.local;

import java.util.List;

import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.local.LocalLock.LocalGrant;
import org.jspecify.annotations.Nullable;

/**
 * The result of ending a grant by hand.
 *
 * @param result what was done
 * @param ended the grant that was ended, whose holder is to be notified
 * @param toNotify the grants of the next tickets, which are to be notified then
 */
record LocalEnd(EndResult result, @Nullable LocalGrant ended, List<LocalGrant> toNotify) {

	static final LocalEnd CHANGED = new LocalEnd(EndResult.CHANGED, null, List.of());

	static final LocalEnd NOT_HELD = new LocalEnd(EndResult.NOT_HELD, null, List.of());

}
