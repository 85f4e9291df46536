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
 */
@ConfigurationProperties("sample.inventory")
record InventoryProperties(@DefaultValue("2ms") Duration pause) {

}
