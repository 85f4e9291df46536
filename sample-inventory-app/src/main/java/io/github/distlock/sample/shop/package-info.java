/**
 * The shop, which uses distlock as an application does: begin with
 * {@link io.github.distlock.sample.shop.StockService}. Two inventory nodes sell the stock
 * of one database, and an order service passes orders to them.
 */
@NullMarked
package io.github.distlock.sample.shop;

import org.jspecify.annotations.NullMarked;
