package io.github.distlock.sample.inventory;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of an inventory node.
 *
 * @param pause the time between reading the stock and writing it back, the same for every
 * strategy: it stands for the work that real code does there, and makes the race between
 * two buyers visible within a second
 * @param lease how long the hand-made locks of the package {@code history} last, as far
 * as they expire at all
 * @param patience how long a caller tries for a hand-made lock while nobody on this node
 * gets it; then it counts as blocked
 * @param faults whether faults may be asked for over HTTP
 */
@ConfigurationProperties("sample.inventory")
public record InventoryProperties(@DefaultValue("2ms") Duration pause, @DefaultValue("10s") Duration lease,
		@DefaultValue("60s") Duration patience, @DefaultValue("false") boolean faults) {

}
