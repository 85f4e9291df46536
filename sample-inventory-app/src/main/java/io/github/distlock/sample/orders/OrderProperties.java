package io.github.distlock.sample.orders;

import java.net.URI;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of the order service.
 *
 * @param inventoryNodes the nodes that take the orders in turn
 */
@ConfigurationProperties("sample.orders")
record OrderProperties(List<URI> inventoryNodes) {

}
