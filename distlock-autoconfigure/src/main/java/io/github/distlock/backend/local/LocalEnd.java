package io.github.distlock.backend.local;

import java.util.List;

import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.local.LocalLock.LocalGrant;

/**
 * The result of ending grants by hand.
 *
 * @param result what was done
 * @param ended the grants that were ended, whose holders are to be notified
 * @param toNotify the grants of the next tickets, which are to be notified then
 */
record LocalEnd(EndResult result, List<LocalGrant> ended, List<LocalGrant> toNotify) {

	static final LocalEnd CHANGED = new LocalEnd(EndResult.CHANGED, List.of(), List.of());

	static final LocalEnd NOT_HELD = new LocalEnd(EndResult.NOT_HELD, List.of(), List.of());

}
