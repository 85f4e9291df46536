package io.github.distlock.sample.inventory;

import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of an inventory node.
 *
 * @param pause the time between reading the stock and writing it back, the same for every
 * strategy: it stands for the work that real code does there, and makes the race between
 * two buyers visible within a second
 * @param lease the lease time of those hand-made locks of the package {@code history}
 * that expire
 * @param patience how long a caller tries to acquire a hand-made lock while no caller on
 * this node acquires it; then the lock counts as blocked
 * @param faults whether faults can be requested over HTTP
 * @param records the file in which this node records each stay between reading the stock
 * and writing it; without it nothing is recorded
 */
@ConfigurationProperties("sample.inventory")
public record InventoryProperties(@DefaultValue("2ms") Duration pause, @DefaultValue("10s") Duration lease,
		@DefaultValue("60s") Duration patience, @DefaultValue("false") boolean faults, @Nullable Path records) {

}
